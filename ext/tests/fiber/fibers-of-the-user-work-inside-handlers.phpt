--TEST--
The user's own fibers work inside handlers, also when they wait by Timer::sleep()
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Timer;
use Tusk\WebSocket\{Connection, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$suspended = null;
$server->onMessage(function (Connection $c, string $m) use (&$suspended) {
    switch ($m) {
        case 'nest':
            $f = new Fiber(function () use ($c) {
                Timer::sleep(0.01);
                $x = Fiber::suspend('from inside');
                Timer::sleep(0.01);
                return "got $x";
            });
            $c->send($f->start());
            $f->resume('back');
            $c->send($f->getReturn());
            break;
        case 'suspend':
            $suspended = new Fiber(function () use ($c) {
                $who = Fiber::suspend();
                Timer::sleep(0.01);
                $c->send("resumed by $who");
            });
            $suspended->start();
            break;
        case 'resume':
            $suspended->resume('another handler');
            break;
        case 'outside':
            attempt(fn () => Fiber::suspend());
            $c->send('ok');
            break;
    }
});
talk($server, function (int $port) use (&$suspended): void {
    $a = Peer::open($port);
    $b = Peer::open($port);
    $a->send('nest');
    echo $a->text(), "\n", $a->text(), "\n";
    $a->send('suspend');
    until(function () use (&$suspended) { return $suspended?->isSuspended(); });
    $b->send('resume');
    echo $a->text(), "\n";
    $a->send('outside');
    echo $a->text(), "\n";
});
?>
--EXPECTF--
from inside
got back
resumed by another handler
FiberError: Cannot suspend outside of%Sfiber
ok
