// Echo client on npm `ws`: the URL is the first argument.
const WebSocket = require('ws');
const socket = new WebSocket(process.argv[2], { perMessageDeflate: { threshold: 0 }, maxPayload: 32 << 20 });
socket.on('error', () => {});
socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
