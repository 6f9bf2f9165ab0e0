--TEST--
Opens, messages, requests, events and timers whose handlers do not wait cost no fiber switch; one that waits does
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip pcntl is needed: the client may not wait in the server'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\Connection;

[$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) {
    fclose($mine);
    $server = new Tusk\Server('127.0.0.1:0');
    $server->onStart(fn () => fwrite($its, "$server->port\n"));
    $switches = fn () => Response::text((string) $server->stats()['fiber_switches']);
    $server->get('/', $switches);
    $server->get('/waits', function () use ($switches): Response { Tusk\Timer::sleep(0.001); return $switches(); });
    $server->post('/post', fn (Request $r): Response => Response::text((string) strlen($r->body)));
    $server->websocket(
        '/ws',
        authorize: fn (Request $r) => $r->query('name') ?? 'somebody',
        open: function (Connection $c): void { $c->subscribe('all'); $c->send("welcome $c->identity"); },
        message: function (Connection $c, string $m): void { $c->send($m); $c->publish('all', 'to others'); },
        close: fn (Connection $c) => null,
    );
    $server->websocket('/reads', open: function (Connection $c): void {
        foreach ($c as $m) {
            $c->send("read $m");
        }
    });
    $server->events('/events', function (EventStream $s): void { $s->subscribe('all'); $s->send('first'); });
    $timer = Tusk\Timer::repeat(0.001, fn () => $server->publish('nobody', 'x'));
    $server->get('/stop', function () use ($server) { $server->stop(); return Response::text('stopping'); });
    $server->run();
    Tusk\Timer::cancel($timer);
    exit(0);
}
fclose($its);
$port = (int) fgets($mine);
$get = function (string $path) use ($port): string {
    $answer = http($port, "GET $path HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return substr($answer, strpos($answer, "\r\n\r\n") + 4);
};
const N = 20;
$before = (int) $get('/');
$peers = [];
for ($i = 0; $i < N; $i++) {
    $peers[$i] = Peer::open($port, "/ws?name=$i");
    $welcome[] = $peers[$i]->text();
}
echo $welcome[0], ', ', $welcome[N - 1], "\n";
$stream = new Peer($port);
$stream->write("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
while (!str_contains($stream->in, 'first')) {
    $stream->fill();
}
foreach ($peers as $i => $peer) {
    $peer->send("message $i");
}
foreach ($peers as $i => $peer) {
    for ($n = 0; $n < N; $n++) {
        $got[$peer->text()][] = $i;
    }
}
echo count($got['to others']), ' ', count($got), "\n";
for ($i = 0; $i < N; $i++) {
    $bodies[] = substr(http($port, "POST /post HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody"), -1);
}
echo implode('', array_unique($bodies)), "\n";
foreach ($peers as $peer) {
    $peer->goodbye();
}
echo 'without a wait: ', (int) $get('/') - $before, "\n";
echo 'one wait, seen by itself: ', (int) $get('/waits') - $before, "\n";
echo 'and by the next: ', (int) $get('/') - $before, "\n";
$before = (int) $get('/');
$reader = Peer::open($port, '/reads');
$reader->send('one');
echo $reader->text(), "\n";
$reader->goodbye();
echo 'foreach: ', (int) $get('/') > $before ? 'more' : 'none', "\n";
echo $get('/stop'), "\n";
pcntl_waitpid($pid, $status);
echo pcntl_wexitstatus($status), "\n";
?>
--EXPECT--
welcome 0, welcome 19
380 21
4
without a wait: 0
one wait, seen by itself: 2
and by the next: 3
read one
foreach: more
stopping
0
