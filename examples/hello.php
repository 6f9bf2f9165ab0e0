<?php

declare(strict_types=1);

use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\Connection;

$server = new Tusk\Server(listen: '127.0.0.1:' . ($argv[1] ?? 8080));
$server->websocket('/ws', open: fn (Connection $c) => $c->subscribe('news'), message: fn (Connection $c, string $text) => $server->publish('news', $text));
$server->events('/events', fn (EventStream $s) => $s->subscribe('news', since: $s->lastEventId));
$server->post('/news', fn (Request $r) => Response::json(['position' => (string) $server->publish('news', $r->body)]));
$server->get('/', fn () => Response::html('<pre></pre><script>new EventSource("/events").onmessage = e => document.body.firstChild.append(e.data + "\n")</script>'));
$server->onListen(fn () => print("Open http://127.0.0.1:$server->port/ and, in another terminal: curl -d hello http://127.0.0.1:$server->port/news\n"));
exit($server->run());
