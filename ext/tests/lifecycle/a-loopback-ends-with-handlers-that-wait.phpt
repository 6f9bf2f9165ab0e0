--TEST--
A loopback that goes while handlers wait: they hear that the server stops, others' handlers go on, and the process ends well
--FILE--
<?php
use Tusk\Testing\Loopback;
use Tusk\{Server, Timer};

ini_set('error_log', '/dev/null');
function waiting(string $name): Server
{
    $server = new Server();
    $wait = function () use ($name): void {
        try {
            Timer::sleep(1000);
        } catch (Tusk\Exception $e) {
            echo "$name: {$e->getMessage()}\n";
            throw $e;
        }
    };
    $server->websocket('/ws', open: fn () => $wait());
    return $server;
}

$first = new Loopback(waiting('first'));
$second = new Loopback(waiting('second'));
$clients = [$first->connect('/ws'), $second->connect('/ws'), $second->connect('/ws')];
unset($clients[0]);
echo "the first goes\n";
unset($first);
echo "the end of the process\n";
?>
--EXPECT--
the first goes
first: The server stops: this handler waited too long
the end of the process
second: The server stops: this handler waited too long
second: The server stops: this handler waited too long
