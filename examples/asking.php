<?php

// A handler that asks three others at once, over HTTP, WebSocket and an event stream: php examples/asking.php 8080

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\Server;
use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\{Connection, Deflate};

$server = new Server(listen: "127.0.0.1:$argv[1]");
$server->get('/weather', fn (): Response => Response::json(['sky' => 'clear']));
$server->websocket('/live', message: fn (Connection $c, string $text) => $c->send(strtoupper($text)), subprotocols: ['chat.v1'], deflate: new Deflate());
$server->events('/events', function (EventStream $s): void {
    $s->send('first', event: 'greeting', id: '7');
});

// The others are this same server: while a handler waits for an answer, the loop gives it.
$server->get('/ask/http', function (Request $r): Response {
    $client = new Tusk\Http\Client(timeout: 5.0);
    $answer = $client->get("http://{$r->header('host')}/weather", ['Accept' => 'application/json']);
    return Response::json(['status' => $answer->status, 'body' => $answer->json()]);
});
$server->get('/ask/websocket', function (Request $r): Response {
    $socket = new Tusk\WebSocket\Client("ws://{$r->header('host')}/live", subprotocols: ['chat.v1'], timeout: 5.0, deflate: new Deflate());
    $socket->send('hello');
    $text = $socket->receive(timeout: 5.0);
    $socket->close();
    return Response::json(['subprotocol' => $socket->subprotocol, 'text' => $text]);
});
$server->get('/ask/events', function (Request $r): Response {
    $events = new Tusk\Sse\Client("http://{$r->header('host')}/events");
    $event = $events->receive(timeout: 5.0);
    $events->close();
    return Response::json(['type' => $event?->type, 'data' => $event?->data, 'id' => $events->lastEventId()]);
});
$server->onListen(fn (Server $s) => print("Each asks this server itself: curl http://127.0.0.1:$s->port/ask/http; curl http://127.0.0.1:$s->port/ask/websocket; curl http://127.0.0.1:$s->port/ask/events\n"));
exit($server->run());
