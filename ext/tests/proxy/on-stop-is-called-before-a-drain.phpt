--TEST--
onStop() of a proxy: called once before the drain, with the proxy; what waits beside it can end, and the drain waits for nothing else
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Proxy\{Http, Route, Smtp, Tcp};
use Tusk\Timer;

foreach ([Tcp::class, Http::class, Smtp::class] as $class) {
    $proxy = new $class(new Asked(fn () => Route::to('127.0.0.1:9')), '127.0.0.1:0');
    $stopping = false;
    $proxy->onStart(function () use (&$stopping, $proxy): void {
        Timer::delay(0, fn () => $proxy->stop());
        while (!$stopping) {
            Timer::sleep(0.001);
        }
        echo "what waited has ended\n";
    });
    $proxy->onStop(function (object $given) use (&$stopping, $proxy): void {
        var_dump($given === $proxy);
        $stopping = true;
    });
    var_dump($proxy->run());
}
?>
--EXPECT--
bool(true)
what waited has ended
int(0)
bool(true)
what waited has ended
int(0)
bool(true)
what waited has ended
int(0)
