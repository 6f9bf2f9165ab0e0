// Echo server on Bun: the port is the first argument.
Bun.serve({
  port: Number(process.argv[2]), hostname: '127.0.0.1',
  fetch(request, server) {
    return server.upgrade(request) ? undefined : new Response('upgrade wanted', { status: 426 });
  },
  websocket: {
    perMessageDeflate: true, maxPayloadLength: 32 << 20, backpressureLimit: 64 << 20,
    message(socket, data) { socket.send(data, true); },
  },
});
