--TEST--
A send beyond maxQueuedBytes is an Error and nothing of it is queued
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, MessageType, Server};

$server = new Server(['maxQueuedBytes' => 100000]);
$server->listen('127.0.0.1', 0);
$server->onMessage(function (Connection $c, string $m) {
    $sent = 0;
    $part = str_repeat('x', 30000);
    try {
        for ($i = 0; $i < 100; $i++) {
            $c->send($part, MessageType::Binary);
            $sent++;
        }
    } catch (Error $e) {
        echo get_class($e), ': ', preg_replace('/\d{5,}/', 'N', $e->getMessage()), "\n";
    }
    $before = $c->bufferedBytes();
    try { $c->send($part, MessageType::Binary); } catch (Error) { }
    var_dump($sent === 3, $c->bufferedBytes() === $before, $before <= 100000);
});
talk($server, function (int $port): void {
    $peer = Peer::open($port);
    $peer->send('go');
    for ($i = 0; $i < 3; $i++) {
        echo strlen($peer->text()), "\n";
    }
    $peer->goodbye();
});
?>
--EXPECT--
Error: Cannot send N bytes: the connection's queue would exceed maxQueuedBytes (N bytes wait)
bool(true)
bool(true)
bool(true)
30000
30000
30000
