<?php

// What is POSTed to /publish reaches everybody at /events: php examples/sse.php 8080
// A client that comes back with Last-Event-ID gets what it missed.

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\{Limits, Server};
use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;

$server = new Server(listen: "127.0.0.1:$argv[1]", limits: new Limits(connections: 18_000));
$server->events('/events', fn (EventStream $s) => $s->subscribe('news', since: $s->lastEventId));
$server->post('/publish', fn (Request $r): Response => Response::json(['position' => (string) $server->publish('news', $r->body)]));
$server->onListen(fn (Server $s) => print("Listen: curl -N http://127.0.0.1:$s->port/events; in another terminal: curl -d hello http://127.0.0.1:$s->port/publish\n"));
exit($server->run());
