// SPDX-License-Identifier: MIT
// The npm package ws as a peer: node ws.mjs ROLE PORT DIR, DIR being where node_modules lies.
import { createRequire } from 'node:module';

const [role, port, dir] = process.argv.slice(2);
const { WebSocketServer } = createRequire(`${dir}/package.json`)('ws');
const server = new WebSocketServer({ host: '127.0.0.1', port: Number(port), perMessageDeflate: false, backlog: 4096 });

server.on('connection', (socket) => {
    socket.on('message', (data, binary) => {
        if (role !== 'broadcast') {
            socket.send(data, { binary });
            return;
        }
        for (const client of server.clients) {
            client.send(data, { binary });
        }
    });
    socket.on('error', () => socket.terminate());
});
