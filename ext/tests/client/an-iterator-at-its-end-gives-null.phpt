--TEST--
The iterator of a client gives null where there is nothing to give: at its end, and while another task waits for the next
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\WebSocket\Client;

function look(Iterator $it): void
{
    var_dump($it->valid(), $it->current(), json_encode([$it->current()]));
}

$stream = new Tusk\Sse\Client('http://127.0.0.1:1/');
$it = $stream->getIterator();
$stream->close();
look($it);

$server = new Server('127.0.0.1:0');
$server->websocket('/', fn ($connection, $text) => $connection->send($text));
talk($server, function (int $port): void {
    $client = new Client("ws://127.0.0.1:$port/");
    $client->send('one');
    $it = $client->getIterator();
    look($it);
    $async = new Tusk\Parallel\Async();
    $async->submit([fn () => $it->next(), function () use ($it, $client): void {
        look($it);
        $client->close();
    }]);
    until(fn () => !$client->isOpen());
    Timer::sleep(0.01);
    look($it);
});
?>
--EXPECT--
bool(false)
NULL
string(6) "[null]"
bool(true)
string(3) "one"
string(7) "["one"]"
bool(false)
NULL
string(6) "[null]"
bool(false)
NULL
string(6) "[null]"
