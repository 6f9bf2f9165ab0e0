--TEST--
foreach over a connection in its message handler is a LogicException
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onMessage(function (Connection $c, string $m) {
    attempt(function () use ($c) {
        foreach ($c as $x) {
            echo "never\n";
        }
    });
    $c->send('still here');
});
talk($server, function (int $port) use ($server): void {
    $a = Peer::open($port);
    $a->send('x');
    echo $a->text(), "\n";
    $a->goodbye();
});
?>
--EXPECT--
LogicException: A connection's messages can be iterated in its open handler, not in one that a message called
still here
