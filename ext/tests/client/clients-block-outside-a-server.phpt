--TEST--
Outside a server clients block plainly, and no timer runs meanwhile; a WebSocket's URL may begin with http:// as well
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip pcntl is needed'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\{Connection, MessageType};

[$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) {
    fclose($mine);
    $server = new Tusk\Server('127.0.0.1:0');
    $server->onStart(fn () => fwrite($its, "$server->port\n"));
    $server->get('/', fn () => Response::text('hi'));
    $server->get('/chunks', fn () => Response::stream((function () { foreach ([1, 2, 3] as $n) { Tusk\Timer::sleep(0.01); yield "part $n;"; } })(), 'text/plain'));
    $server->events('/events', function (EventStream $s) { $s->send('one', id: '1'); $s->send('two', 'kind'); });
    $server->websocket('/', message: fn (Connection $c, string $m, MessageType $t) => $c->send($m, $t));
    $server->get('/stop', function () use ($server) { $server->stop(); return Response::text('stopping'); });
    $server->run();
    exit(0);
}
fclose($its);
$port = (int) fgets($mine);
$http = new Tusk\Http\Client();
echo $http->get("http://127.0.0.1:$port/")->body, ' ', $http->get("http://127.0.0.1:$port/chunks")->body, "\n";
$ws = new Tusk\WebSocket\Client("ws://127.0.0.1:$port/", deflate: new Tusk\WebSocket\Deflate());
$big = str_repeat('compress me ', 100000);
$ws->send($big);
$ticks = 0;
$timer = Tusk\Timer::repeat(0.001, function () use (&$ticks): void { $ticks++; });
var_dump($ws->receive() === $big, $ws->receive(0.01), $ticks);
Tusk\Timer::cancel($timer);
$same = new Tusk\WebSocket\Client("http://127.0.0.1:$port/");
$same->send('by http');
echo $same->receive(), "\n";
$same->close();
foreach (['a', 'b', 'c'] as $m) {
    $ws->send($m);
}
foreach ($ws as $type => $m) {
    echo $type->name, ' ', $m, "\n";
    if ($m === 'c') {
        break;
    }
}
$ws->close();
$sse = new Tusk\Sse\Client("http://127.0.0.1:$port/events");
echo $sse->receive(5)->data, ' ', $sse->receive(5)->type, ' ', $sse->lastEventId(), "\n";
unset($sse);
echo $http->get("http://127.0.0.1:$port/stop")->body, "\n";
pcntl_waitpid($pid, $status);
echo pcntl_wexitstatus($status), "\n";
attempt(fn () => (new Tusk\Http\Client(timeout: 2, maxBody: 0)));
?>
--EXPECT--
hi part 1;part 2;part 3;
bool(true)
NULL
int(0)
by http
Text a
Text b
Text c
one kind 1
stopping
0
ValueError: Tusk\Http\Client::__construct(): Argument #2 ($maxBody) must be greater than 0, 0 given
