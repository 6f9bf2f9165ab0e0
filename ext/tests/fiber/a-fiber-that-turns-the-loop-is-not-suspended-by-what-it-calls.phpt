--TEST--
A callback in the midst of a Fiber's wait cannot suspend that Fiber, which would leave its turn of the loop half-way to others; a Fiber of its own it can
--FILE--
<?php
use Tusk\Timer;

$fiber = new Fiber(function (): void {
    Timer::delay(0.001, function (): void {
        try {
            Fiber::suspend();
            echo "suspended\n";
        } catch (FiberError $e) {
            echo $e->getMessage(), "\n";
        }
        $own = new Fiber(fn () => Fiber::suspend('its own'));
        echo $own->start(), "\n";
        $own->resume();
    });
    $async = new Tusk\Parallel\Async();
    $tasks = $async->submit([fn () => Timer::sleep(0.01)]);
    var_dump($async->wait($tasks, 5.0));
});
$fiber->start();
var_dump($fiber->isTerminated());
Timer::sleep(0.02); // nobody else's stack is turned here
echo "end\n";
?>
--EXPECT--
Cannot suspend outside of a fiber
its own
int(0)
bool(true)
end
