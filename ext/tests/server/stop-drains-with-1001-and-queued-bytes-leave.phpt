--TEST--
stop() closes with 1001 and what is queued leaves before
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, MessageType, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onMessage(function (Connection $c, string $m) use ($server) {
    $c->send(str_repeat('x', 3 << 20), MessageType::Binary);
    $server->stop();
});
talk($server, function (int $port): void {
    $peer = Peer::open($port);
    $peer->send('go');
    echo strlen($peer->text()), ' ', substr($peer->text(), 0, 11), "\n";
    $peer->goodbye(1001);
    echo @stream_socket_client("tcp://127.0.0.1:$port", $code, $text, 1) ? 'still listening' : 'no listener', "\n";
});
?>
ended
--EXPECT--
3145728 (close 1001
no listener
ended
