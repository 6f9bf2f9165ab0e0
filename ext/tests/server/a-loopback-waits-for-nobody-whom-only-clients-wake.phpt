--TEST--
A loopback does not wait for handlers that only clients can wake, and ends them as their clients go
--FILE--
<?php
use Tusk\Limits;
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\Timer;
use Tusk\WebSocket\Connection;

$server = new Server([], limits: new Limits(heartbeatMs: 0));
$server->websocket('/', open: function (Connection $connection): void {
    foreach ($connection as $message) {
        Timer::sleep(0.001);
        $connection->send("got $message");
    }
    echo "no more messages\n";
});
$server->events('/hourly', function (): void {
    try {
        Timer::sleep(3600);
    } catch (Tusk\Exception $e) {
        echo $e->getMessage(), "\n";
    }
});
$server->get('/', fn () => Tusk\Http\Response::text('hello'));

$loopback = new Loopback($server);
$late = false;
Timer::delay(4.5, function () use (&$late): void {
    $late = true;
}); // any call of one that waits for all handlers takes five seconds

$client = $loopback->connect('/');
foreach (['a', 'b'] as $word) {
    $client->send($word);
    var_dump($client->receive());
}
$stream = $loopback->events('/hourly');
$client->send('c');
var_dump($client->receive(), $stream->isOpen(), $stream->receive());
var_dump(strstr($loopback->raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 'hello'));
var_dump($late);

unset($loopback);
unset($client, $stream);
unset($server);
echo "done\n";
?>
--EXPECT--
string(5) "got a"
string(5) "got b"
string(5) "got c"
bool(true)
NULL
string(5) "hello"
bool(false)
no more messages
The server stops: this handler waited too long
done
