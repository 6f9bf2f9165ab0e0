--TEST--
stop() closes with 1001 and what is queued leaves before
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, MessageType, Server};

$play = function (int $port): void {
    $peer = Peer::open($port);
    $peer->send('go');
    echo strlen($peer->text()), ' ', substr($peer->text(), 0, 11), "\n";
    $peer->goodbye(1001);
    echo @stream_socket_client("tcp://127.0.0.1:$port", $code, $text, 1) ? 'still listening' : 'no listener', "\n";
};
$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onMessage(function (Connection $c, string $m) use ($server) {
    $c->send(str_repeat('x', 100000), MessageType::Binary);
    $server->stop();
});
talk($server, $play);
// More than the kernel takes at once; the time for it is an option of this server.
$server = new Tusk\Server('127.0.0.1:0', limits: new Tusk\Limits(drainMs: 60000, closeMs: 60000));
$server->websocket('/', message: function (Connection $c) use ($server) {
    $c->send(str_repeat('x', 8 << 20), MessageType::Binary);
    $server->stop();
});
talk($server, $play);
?>
ended
--EXPECT--
100000 (close 1001
no listener
8388608 (close 1001
no listener
ended
