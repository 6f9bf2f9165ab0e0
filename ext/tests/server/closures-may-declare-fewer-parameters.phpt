--TEST--
Closures may declare fewer parameters than they are called with, or take them all
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onOpen(function () { echo "open\n"; });
$server->onMessage(function (...$all) { echo implode(' ', array_map('get_debug_type', $all)), ' ', $all[2]->name, "\n"; $all[0]->close(); });
$server->onClose(function (...$all) { echo count($all), "\n"; });
talk($server, function (int $port) use ($server): void {
    $a = Peer::open($port);
    $a->send('x');
    $a->text();
    $a->goodbye();
    until(fn () => $server->stats()['websockets_open'] === 0);
});
?>
--EXPECT--
open
Tusk\WebSocket\Connection string Tusk\WebSocket\MessageType Text
1
