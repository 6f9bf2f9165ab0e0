// SPDX-License-Identifier: MIT
// The npm package ws as a peer: node ws.mjs ROLE PORT DIR [CERTIFICATE KEY], DIR being where node_modules lies.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';

const [role, port, dir, cert, key] = process.argv.slice(2);
const { WebSocketServer } = createRequire(`${dir}/package.json`)('ws');
const listen = { host: '127.0.0.1', port: Number(port), backlog: 4096 };
const tls = cert && createServer({ cert: readFileSync(cert), key: readFileSync(key) });
const server = new WebSocketServer({ ...(tls ? { server: tls } : listen), perMessageDeflate: false });
tls && tls.listen(listen);

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
