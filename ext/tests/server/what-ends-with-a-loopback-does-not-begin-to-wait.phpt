--TEST--
As a loopback goes its handlers end and do not begin to wait, no timer calls and no task begins: those wait for who runs the loop
--FILE--
<?php
use Tusk\Limits;
use Tusk\Parallel\Async;
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\Timer;
use Tusk\WebSocket\Connection;

$server = new Server([], limits: new Limits(heartbeatMs: 0));
$server->websocket('/', open: function (Connection $connection): void {
    foreach ($connection as $message) {
    }
    echo "no more messages\n";
    try {
        Timer::sleep(0.01);
        echo "rested\n";
    } catch (Tusk\Exception $e) {
        echo $e->getMessage(), "\n";
    }
});
$loopback = new Loopback($server);
$client = $loopback->connect('/');

$tasks = (new Async())->submit(['late' => function (): string {
    echo "begun\n";
    return 'done';
}]);
Timer::delay(0.0, function (): void {
    echo "a timer\n";
});
unset($loopback, $client, $server);
echo "gone\n";
echo $tasks['late']->await(), "\n";
(new Async())->submit([fn () => Timer::sleep(0.02)])[0]->await();
?>
--EXPECT--
no more messages
The server stops: this handler waited too long
gone
begun
done
a timer
