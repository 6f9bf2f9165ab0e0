--TEST--
A Loopback that is let go with connections open inside another server: they are closed, and the other server goes on
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Testing\Loopback;

$server = new Tusk\Server();
$server->websocket('/', close: function (Tusk\WebSocket\Connection $c, int $code): void {
    echo "closed by $code\n";
});
$loopback = new Loopback($server);
$clients = [$loopback->connect('/'), $loopback->connect('/')];
$gone = WeakReference::create($server);
unset($server);

$other = new Tusk\Server('127.0.0.1:0');
$other->onStart(function () use ($other, $gone): void {
    $GLOBALS['loopback'] = null;
    $GLOBALS['clients'] = [];
    echo "let go\n";
    until(fn () => $gone->get() === null, 'its server to go');
    echo "its server is gone, the other one goes on\n";
    $other->stop();
});
var_dump($other->run());
?>
--EXPECT--
let go
closed by 1006
closed by 1006
its server is gone, the other one goes on
int(0)
