<?php

// Rooms over WebSocket and Server-Sent Events, with who may enter: php examples/rooms.php 8080
// ws://127.0.0.1:8080/rooms/tea?name=Mara, http://127.0.0.1:8080/rooms/tea/events

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\{Limits, Overflow, Server};
use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\{Connection, MessageType};

$server = new Server(listen: "127.0.0.1:$argv[1]", limits: new Limits(messageBytes: 4096, perAddress: 100));

$name = fn (Connection $c): string => is_string($c->identity) ? $c->identity : '';
$topic = fn (Connection|EventStream|Request $from): string => "room.{$from->params['room']}";

$server->websocket(
    '/rooms/{room}',
    // null is answered by 401, a Response is that answer, anything else is who this is.
    authorize: fn (Request $r): string|Response|null => match ($name = $r->query('name')) {
        null => null,
        '' => Response::text("A name has letters.\n", 400),
        default => $name,
    },
    open: function (Connection $c) use ($server, $topic, $name): void {
        $c->subscribe($topic($c), since: $c->query('since'), overflow: Overflow::DropOldest);
        $server->publish($topic($c), "{$name($c)} is here");
    },
    message: function (Connection $c, string $text, MessageType $type) use ($topic, $name): void {
        if ($type === MessageType::Text) {
            $c->publish($topic($c), "{$name($c)}: $text"); // everybody but the sender
        }
    },
    close: function (Connection $c, int $code) use ($server, $topic, $name): void {
        $server->publish($topic($c), "{$name($c)} left ($code)");
    },
);
$server->events('/rooms/{room}/events', fn (EventStream $s) => $s->subscribe($topic($s), since: $s->lastEventId));
$server->get('/rooms/{room}', fn (Request $r): Response => Response::json([
    'here' => $server->subscribers($topic($r)),
    'position' => (string) $server->position(),
]));
$server->onListen(fn (Server $s) => print("Who is there: curl http://127.0.0.1:$s->port/rooms/tea; in a browser's console: new WebSocket('ws://127.0.0.1:$s->port/rooms/tea?name=Mara')\n"));
exit($server->run());
