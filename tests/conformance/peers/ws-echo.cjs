// Echo server on npm `ws`: the port is the first argument.
const { WebSocketServer } = require('ws');
const server = new WebSocketServer({
  port: Number(process.argv[2]), host: '127.0.0.1', maxPayload: 32 << 20,
  perMessageDeflate: { threshold: 0 },
});
server.on('connection', (socket) => {
  socket.on('error', () => {});
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
