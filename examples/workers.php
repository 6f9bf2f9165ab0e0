<?php

// One room over several processes: php examples/workers.php 8080 4
// ws://127.0.0.1:8080/room, http://127.0.0.1:8080/room/events; POST /room; GET / tells who answered and what all of them count.

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\{Server, Timer};
use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\Connection;

$server = new Server(listen: "127.0.0.1:$argv[1]", workers: (int) ($argv[2] ?? 2));

// A topic is one for all workers, whoever publishes and whoever subscribes.
$server->websocket(
    '/room',
    open: fn (Connection $c) => $c->subscribe('room', since: $c->query('since')),
    message: fn (Connection $c, string $text) => $c->publish('room', $text),
);
$server->events('/room/events', fn (EventStream $s) => $s->subscribe('room', since: $s->lastEventId));
$server->post('/room', fn (Request $r): Response => Response::json(['position' => (string) $server->publish('room', $r->body)]));

// A variable is this worker's own; stats() are sums.
$answered = 0;
$server->get('/', function () use ($server, &$answered): Response {
    $stats = $server->stats();
    return Response::json(['worker' => $server->worker(), 'answered here' => ++$answered, 'requests' => $stats['requests'], 'open' => $stats['connections_open']]);
});

// A timer goes on in each of them; what must happen once, one does. With one process worker() is null.
Timer::repeat(60, fn () => ($server->worker() ?? 0) === 0 && $server->publish('room', date('H:i')));

$server->onListen(fn (Server $s) => print("Ask some times, each time another process answers: curl http://127.0.0.1:$s->port/\n"));
exit($server->run());
