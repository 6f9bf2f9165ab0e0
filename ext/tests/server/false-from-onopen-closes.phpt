--TEST--
false from onOpen closes the connection
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onOpen(fn (Connection $c) => false);
$server->onClose(fn () => print("closed\n"));
talk($server, function (int $port) use ($server): void {
    $peer = Peer::open($port);
    echo $peer->status(), ' ', $peer->text(), "\n";
    $peer->goodbye();
    until(fn () => $server->stats()['websockets_open'] === 0);
});
?>
--EXPECT--
101 (close 1000 )
closed
