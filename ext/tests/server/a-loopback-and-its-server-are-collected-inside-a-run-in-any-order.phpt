--TEST--
A Loopback and its server that only hold each other are collected inside another server's run, whichever goes first: a timer of the server outlived it, and the process crashed
--FILE--
<?php
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\Timer;

final class Bag
{
    public array $all = [];
}

function forget(bool $small, bool $serverFirst): void
{
    $bag = new Bag();
    $keep = function (object $peer) use ($bag): void {
        $bag->all[] = $peer;
    };
    if ($small) {
        $server = new Tusk\WebSocket\Server();
        $server->onOpen($keep);
        $server->listen('127.0.0.1', 0);
    } else {
        $server = new Server();
        $server->websocket('/', fn () => null, $keep);
    }
    $loopback = new Loopback($server);
    $loopback->connect('/')->close();
    $bag->all = $serverFirst ? [...$bag->all, $server, $loopback] : [$loopback, $server, ...$bag->all];
}

$collected = 0;
foreach ([[false, true], [false, false], [true, true], [true, false]] as [$small, $serverFirst]) {
    forget($small, $serverFirst);
    $main = new Server('127.0.0.1:0');
    $main->onStart(function (Server $main) use (&$collected): void {
        $collected += gc_collect_cycles() > 0 ? 1 : 0;
        Timer::delay(0.005, fn () => $main->stop()); // a few turns of the loop
    });
    $main->run();
}
echo "$collected collected\n";
?>
--EXPECT--
4 collected
