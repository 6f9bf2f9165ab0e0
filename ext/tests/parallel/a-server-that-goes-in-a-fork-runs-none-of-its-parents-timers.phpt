--TEST--
A server that is let go of in a fork of the caller runs none of the caller's timers there, and the caller has them all: the fork crashed
--FILE--
<?php
use Tusk\{Server, Timer};
use Tusk\Parallel\Pool;
use Tusk\Testing\Loopback;

final class Held
{
    public static ?Loopback $loopback = null;
    public static ?object $client = null;
}

$pool = new Pool(workers: 1);
$server = new Server();
$server->websocket('/ws', fn () => null);
Held::$loopback = new Loopback($server);
Held::$client = Held::$loopback->connect('/ws');
unset($server);
$open = (function () { yield 'in the fork'; })(); // no bytes can be made of it
Timer::defer(fn () => print("deferred\n"));
Timer::delay(0.001, fn () => print("delayed\n"));
usleep(3000);
echo $pool->run(function () use ($open): string {
    Held::$client = Held::$loopback = null;
    return $open->current();
}), "\n";
Held::$loopback->settle(60);
echo "over\n";
?>
--EXPECT--
in the fork
deferred
delayed
over
