--TEST--
An exception from any callback goes to onError and closes that connection with 1011; others go on
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onOpen(function (Connection $c) use (&$bad) {
    if ($bad) {
        throw new DomainException('open');
    }
});
$server->onMessage(function (Connection $c, string $m) {
    if ($m === 'boom') {
        throw new DomainException('message');
    }
    if ($m === 'type') {
        strlen();
    }
    $c->send($m);
});
$server->onClose(function (Connection $c) use (&$worse) {
    if ($worse) {
        throw new DomainException('close');
    }
});
$server->onError(function (Throwable $e) {
    echo 'onError ', get_class($e), ' ', $e->getMessage(), "\n";
});
talk($server, function (int $port) use (&$bad, &$worse): void {
    $a = Peer::open($port);
    $b = Peer::open($port);
    $a->send('boom');
    echo $a->text(), "\n";
    $b->send('fine');
    echo $b->text(), "\n";
    $b->send('type');
    echo $b->text(), "\n";
    $bad = true;
    $c = Peer::open($port);
    echo $c->text(), "\n";
    $bad = false;
    foreach ([$a, $b, $c] as $peer) {
        $peer->goodbye();
    }
    until(fn () => !$GLOBALS['server']->stats()['websockets_open']);
    $worse = true;
    $c = Peer::open($port);
    $c->goodbye();
    until(fn () => !$GLOBALS['server']->stats()['websockets_open']);
    $worse = false;
});
?>
--EXPECT--
onError DomainException message
(close 1011 )
fine
onError ArgumentCountError strlen() expects exactly 1 argument, 0 given
(close 1011 )
onError DomainException open
(close 1011 )
onError DomainException close
