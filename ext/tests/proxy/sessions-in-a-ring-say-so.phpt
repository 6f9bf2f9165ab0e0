--TEST--
Engine::Uring: clients and backends in handlers that wait while the loop waits in the ring; Access and stats() name the engine
--SKIPIF--
<?php
require __DIR__ . '/proxy.inc';
$proxy = new Tusk\Proxy\Tcp(new Asked(fn () => Tusk\Proxy\Route::to('127.0.0.1:1')), '127.0.0.1:0', engine: Tusk\Proxy\Engine::Uring);
$state = '';
through($proxy, function () use ($proxy, &$state): void {
    $state = $proxy->engine();
});
if (!str_starts_with($state, 'enabled')) {
    echo "skip $state";
}
?>
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Access, Engine, First, Route, Tcp};
use Tusk\Timer;

$backend = new Backend('b');
$proxy = new Tcp(new Asked(fn () => Route::to($backend->address(), ttl: 60)), '127.0.0.1:0', validation: local(), first: First::Server, engine: Engine::Uring);
$ends = [];
$proxy->onAccess(function (Access $a) use (&$ends): void {
    Timer::sleep(0.01); // parks the handler in the middle of what the ring completed
    $ends[] = "$a->engine $a->end";
});
through($proxy, function (int $port) use ($proxy, &$ends): void {
    echo $proxy->engine(), "\n";
    $peers = array_map(fn () => new Peer($port), range(1, 20));
    foreach (['one', 'two'] as $line) {
        foreach ($peers as $peer) {
            if (ask($peer, $line) !== "b:$line") {
                echo "wrong\n";
            }
        }
    }
    unset($peers, $peer);
    until(function () use (&$ends): bool { return count($ends) === 20; }, '20 records');
});
print_r(array_count_values($ends));
echo $proxy->stats()['switched_to_uring'], "\n";
?>
--EXPECTF--
enabled (io_uring, %s completions, %s receives)
Array
(
    [uring done] => 20
)
20
