--TEST--
terminate(), close() and dropping every reference inside a callback are safe
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onMessage(function (Connection $c, string $m) {
    switch ($m) {
        case 'terminate':
            $c->terminate();
            $c->terminate();
            $c->close();
            attempt(fn () => $c->send('x'));
            $c = null;
            gc_collect_cycles();
            break;
        case 'close':
            $c->close(1000);
            unset($c);
            break;
    }
});
$server->onClose(fn () => print("closed\n"));
talk($server, function (int $port) use ($server): void {
    $a = Peer::open($port);
    $a->send('terminate');
    $a->send('more');
    echo $a->text(), "\n";
    $b = Peer::open($port);
    $b->send('close');
    echo $b->text(), "\n";
    $b->goodbye();
    until(fn () => $server->stats()['websockets_open'] === 0);
    gc_collect_cycles();
});
?>
--EXPECT--
Error: Cannot send on a closed connection
closed
(end)
(close 1000 )
closed
