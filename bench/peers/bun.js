// SPDX-License-Identifier: MIT
// Bun as a peer: bun bun.js ROLE PORT [DIR [CERTIFICATE KEY]]
const [role, port, dir, cert, key] = process.argv.slice(2);
const streams = new Set();
const encoder = new TextEncoder();
let position = 0;

function events() {
    let own;
    const body = new ReadableStream({
        start(controller) {
            own = controller;
            streams.add(controller);
            controller.enqueue(encoder.encode(':\n\n')); // or the head waits for the first event
        },
        cancel() {
            streams.delete(own);
        },
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' } });
}

async function publish(request) {
    const text = await request.text();
    const event = encoder.encode(`id: ${++position}\ndata: ${text}\n\n`);
    for (const stream of streams) {
        stream.enqueue(event);
    }
    return new Response(null, { status: 204 });
}

const server = Bun.serve({
    hostname: '127.0.0.1',
    port: Number(port),
    tls: cert ? { cert: Bun.file(cert), key: Bun.file(key) } : undefined,
    idleTimeout: 0,
    fetch(request, self) {
        const protocol = request.headers.get('sec-websocket-protocol');
        if (role === 'http') {
            return new Response('Hello, World!');
        }
        if (role === 'file') {
            return new Response(Bun.file(`${dir}/${new URL(request.url).pathname.split('/').pop()}`));
        }
        if (role === 'sse') {
            return request.method === 'POST' ? publish(request) : events();
        }
        const headers = protocol === null ? {} : { 'Sec-WebSocket-Protocol': protocol };
        return self.upgrade(request, { headers }) ? undefined : new Response('upgrade', { status: 426 });
    },
    websocket: {
        idleTimeout: 120,
        maxPayloadLength: 16 * 1024 * 1024,
        perMessageDeflate: false,
        open(ws) {
            if (role === 'broadcast') {
                ws.subscribe('room');
            }
        },
        message(ws, data) {
            if (role === 'broadcast') {
                server.publish('room', data);
            } else {
                ws.send(data);
            }
        },
    },
});
