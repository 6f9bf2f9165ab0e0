--TEST--
A handler that waits hears that its server stops when a Loopback is let go inside another server; its own server stays until the script ends
--SKIPIF--
<?php
if (getenv('SKIP_PERF_SENSITIVE') !== false) {
    die('skip the server that stays is what valgrind calls lost');
}
?>
--FILE--
<?php
use Tusk\Testing\Loopback;
use Tusk\Timer;

function loopback(string $name): Loopback
{
    $server = new Tusk\Server();
    $server->websocket('/', open: function ($connection) use ($name): void {
        try {
            Timer::sleep(0.05);
            echo "$name slept\n";
        } catch (Tusk\Exception $e) {
            echo "$name: ", $e->getMessage(), "\n";
        }
    });
    return new Loopback($server);
}

$other = new Tusk\Server('127.0.0.1:0');
$loopback = loopback('second');
$client = $loopback->connect('/');
$other->onStart(function () use ($other): void {
    $GLOBALS['client'] = $GLOBALS['loopback'] = null;
    echo "second: let go\n";
    Timer::delay(0.1, fn () => $other->stop());
});
$other->run();
?>
--EXPECT--
second: let go
second: The server stops: this handler waited too long
