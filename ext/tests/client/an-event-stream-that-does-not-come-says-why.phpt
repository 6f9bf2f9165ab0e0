--TEST--
An event stream that does not come says why: nobody there, no TLS there, refused, no event stream, gone
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip pcntl is needed'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\Sse\{Client, EventStream};

[$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) {
    fclose($mine);
    $server = new Tusk\Server('127.0.0.1:0');
    $server->onStart(fn () => fwrite($its, "$server->port\n"));
    $server->get('/', fn () => Response::text('hi'));
    $server->get('/over', fn () => new Response(204));
    $server->events('/events', fn (EventStream $s) => $s->send('one'));
    $server->events('/mine', fn (EventStream $s) => null, authorize: fn () => null);
    $server->get('/stop', function () use ($server) { $server->stop(); return Response::text('stopping'); });
    $server->run();
    exit(0);
}
fclose($its);
$port = (int) fgets($mine);
$nobody = stream_socket_server('tcp://127.0.0.1:0'); // a port that is free as soon as it is closed
$free = (int) substr(strrchr(stream_socket_get_name($nobody, false), ':'), 1);
fclose($nobody);
function tried(string $url): Client
{
    $client = new Client($url);
    var_dump($client->lastError());
    $end = hrtime(true) + 20_000_000_000; // a server that has no processor for seconds is asked again
    while (($client->lastError() === null || str_ends_with($client->lastError(), 'no answer in time')) && $client->receive(0.05) === null && hrtime(true) < $end);
    echo ['connecting', 'open', 'closed'][$client->state()], ' ', var_export($client->lastError(), true), "\n";
    return $client;
}
tried("http://127.0.0.1:$free/events");
tried("https://127.0.0.1:$port/events");
tried("http://127.0.0.1:$port/mine");
tried("http://127.0.0.1:$port/nothing");
tried("http://127.0.0.1:$port/");
tried("http://127.0.0.1:$port/over");
$open = tried("http://127.0.0.1:$port/events");
(new Tusk\Http\Client())->get("http://127.0.0.1:$port/stop");
while ($open->lastError() === null && $open->receive(0.05) === null);
echo $open->state() === Client::CONNECTING ? 'connecting' : 'not', ' ', $open->lastError(), "\n";
$open->close();
var_dump($open->lastError());
pcntl_waitpid($pid, $status);
foreach ([0, 2e6, NAN] as $wrong) {
    try {
        new Client("http://127.0.0.1:$port/", retryMin: $wrong);
    } catch (ValueError $e) {
        echo $e->getMessage(), "\n";
    }
}
?>
--EXPECT--
NULL
connecting 'connect: connection refused'
NULL
connecting 'tls: no TLS is spoken there: without it the address begins with http:// or ws://'
NULL
closed 'answer: the server refused, status 401'
NULL
closed 'answer: the server refused, status 404'
NULL
closed 'answer: the answer is not an event stream, status 200'
NULL
closed 'answer: the server ended the stream for good, status 204'
NULL
open NULL
connecting stream: the stream ended
NULL
Tusk\Sse\Client::__construct(): Argument #7 ($retryMin) must be between 0.001 and 1e6 seconds, 0 given
Tusk\Sse\Client::__construct(): Argument #7 ($retryMin) must be between 0.001 and 1e6 seconds, 2.0e+6 given
Tusk\Sse\Client::__construct(): Argument #7 ($retryMin) must be between 0.001 and 1e6 seconds, NAN given
