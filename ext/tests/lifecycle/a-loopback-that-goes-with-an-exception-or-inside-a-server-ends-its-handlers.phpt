--TEST--
A handler that waits hears that its server stops when a Loopback is let go, also by an exception or inside another server; the server is there until it has ended
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

try {
    (function (): void {
        $loopback = loopback('first');
        $client = $loopback->connect('/'); // returns as soon as there is a 101
        throw new Exception('first throws');
    })();
} catch (Exception $e) {
    echo $e->getMessage(), $e->getPrevious() === null ? '' : ' after another', "\n";
}
var_dump((new Tusk\Condition())->wait(0.1));

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
first: The server stops: this handler waited too long
first throws
bool(false)
second: let go
second: The server stops: this handler waited too long
