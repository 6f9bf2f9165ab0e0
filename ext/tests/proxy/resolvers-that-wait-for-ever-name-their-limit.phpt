--TEST--
A proxy in which too much waits names its own limit, and what to do
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Limits, Lookup, Route, Tcp};
use Tusk\Timer;

$proxy = new Tcp(new Asked(fn (Lookup $l): Route => Route::to('127.0.0.1:1')), '127.0.0.1:0', limits: new Limits(lookups: 1, drainMs: 100));
for ($i = 0; $i < 100; $i++) {
    Timer::delay(0, function (): void {
        try {
            Timer::sleep(60);
        } catch (Tusk\Exception) { // refused, or the end
        }
    });
}
through($proxy, function (): void {
    try {
        until(fn () => false, 'a wait that is refused');
    } catch (Tusk\Exception $e) {
        echo $e->getMessage(), "\n";
    }
});
?>
--EXPECTF--
Overload: %d handlers wait already (Limits::$lookups; a resolver that gets no answer waits on, give what it calls a time)
