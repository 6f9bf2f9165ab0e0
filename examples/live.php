<?php

// A page whose WebSocket comes back and misses nothing: php examples/live.php 8080

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\Http\{Request, Response};
use Tusk\Server;
use Tusk\WebSocket\Connection;

$server = new Server(listen: "127.0.0.1:$argv[1]");
// Who comes back names the last `after` it saw, and gets that message and what came behind it.
$say = fn (string $text) => $server->publish('room', json_encode([
    'id' => bin2hex(random_bytes(8)),
    'after' => (string) $server->position(),
    'text' => $text,
], JSON_THROW_ON_ERROR));
$server->websocket(
    '/live',
    open: fn (Connection $c) => $c->subscribe('room', since: $c->query('since')),
    message: fn (Connection $c, string $text) => $say($text),
);
$server->post('/say', function (Request $r) use ($say): Response {
    $say($r->body);
    return new Response(204);
});
$server->get('/live.js', fn (): Response => Response::file(__DIR__ . '/live.js', 'text/javascript'));
$server->get('/', fn (): Response => Response::html(<<<'HTML'
    <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Live</title>
    <p role="status" id="state">…</p><ol id="log" aria-live="polite"></ol>
    <form><label>Say <input autofocus></label> <button>Send</button></form>
    <script type="module">
      import { live } from '/live.js'
      const log = text => document.querySelector('#log').append(Object.assign(document.createElement('li'), { textContent: text }))
      const room = live('/live', {
        onMessage: message => log(message.text),
        onReset: () => log('(something may be missing: load it anew)'),
        onState: state => { document.querySelector('#state').textContent = state },
      })
      const field = document.querySelector('input')
      document.forms[0].onsubmit = event => { event.preventDefault(); if (room.send(field.value)) field.value = '' }
    </script></html>
    HTML));
$server->onListen(fn (Server $s) => print("Open http://127.0.0.1:$s->port/ in two windows and write into one\n"));
exit($server->run());
