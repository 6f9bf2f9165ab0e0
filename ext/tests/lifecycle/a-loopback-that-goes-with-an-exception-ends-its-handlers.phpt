--TEST--
A handler that waits hears that its server stops when a Loopback goes with an exception, and ends before the server goes
--FILE--
<?php
use Tusk\Testing\Loopback;
use Tusk\Timer;

function loopback(string $name): Loopback
{
    $server = new Tusk\Server();
    $server->websocket('/', open: function ($connection) use ($name): void {
        try {
            Timer::sleep(30.0);
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
?>
--EXPECT--
first: The server stops: this handler waited too long
first throws
bool(false)
