--TEST--
Timers run once, repeat, defer and cancel; errors in them go to onError; outside a server sleep() blocks
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Timer;

$started = microtime(true);
Timer::sleep(0.02);
var_dump(microtime(true) - $started >= 0.02);
$server = new Tusk\Server('127.0.0.1:0');
$server->onError(fn (Throwable $e) => print('error ' . $e->getMessage() . "\n"));
$log = [];
$early = Timer::delay(0, function (string $id) use (&$log, &$early) { $log[] = $id === $early ? 'early' : 'wrong id'; });
$never = Timer::delay(0, function () use (&$log) { $log[] = 'never'; });
Timer::cancel($never);
Timer::cancel('nonsense');
talk($server, function () use (&$log): void {
    $n = 0;
    $id = Timer::repeat(0.002, function (string $id) use (&$n, &$log) {
        $log[] = 'tick';
        if (++$n === 3) {
            Timer::cancel($id);
        }
    });
    Timer::defer(function () use (&$log) { $log[] = 'deferred'; });
    Timer::delay(0.001, fn () => throw new Exception('in a timer'));
    until(function () use (&$n) { return $n === 3; });
    Timer::sleep(0.01);
    $cycle = new stdClass();
    $cycle->id = Timer::delay(100, fn () => $cycle);
});
sort($log); // who comes first in one turn is nobody's promise
echo implode(' ', $log), "\n";
$s = new Tusk\Server('127.0.0.1:0');
$s->get('/', fn () => $s);
unset($s, $server);
var_dump(gc_collect_cycles() > 0);
?>
--EXPECT--
bool(true)
error in a timer
deferred early tick tick tick
bool(true)
