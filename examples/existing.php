<?php

// Live pages beside an application under PHP-FPM: it signs tickets and publishes over a Unix socket: php examples/existing.php 8080 /tmp

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\Http\{Request, Response};
use Tusk\Server;
use Tusk\Sse\EventStream;
use Tusk\WebSocket\Connection;

[, $port, $folder] = $argv + [1 => '8080', sys_get_temp_dir()];
$secret = getenv('TICKET_SECRET') ?: 'for trying only';

// What the application's page makes: who this is and until when, signed.
$ticket = function (string $user, int $until) use ($secret): string {
    $what = rtrim(strtr(base64_encode("$until $user"), '+/', '-_'), '=');
    return "$what." . hash_hmac('sha256', $what, $secret);
};
// Who it is for, or null: then the handshake is answered by 401.
$who = function (Request $r) use ($secret): ?string {
    [$what, $mac] = explode('.', $r->query('ticket') ?? '', 2) + ['', ''];
    if (!hash_equals(hash_hmac('sha256', $what, $secret), $mac)) {
        return null;
    }
    [$until, $user] = explode(' ', (string) base64_decode(strtr($what, '-_', '+/')), 2);
    return (int) $until >= time() ? $user : null;
};

$server = new Server(listen: ["127.0.0.1:$port", "unix:$folder/publish.sock"]);
$server->websocket('/live/ws', authorize: $who, open: fn (Connection $c) => $c->subscribe("user.$c->identity"));
$server->events('/live/events', authorize: $who, open: fn (EventStream $s) => $s->subscribe("user.$s->identity", since: $s->lastEventId));

// For PHP-FPM, cron and queue workers: whoever may open the socket file (its mode is 0660) may publish.
$server->post('/publish/{topic}', fn (Request $r): Response => $r->remoteAddress === 'unix'
    ? Response::json(['position' => $server->publish($r->params['topic'], $r->body)])
    : Response::text("Only over the Unix socket.\n", 403));

// A log-in of the server's own: a random number in a cookie, what it stands for in memory.
$sessions = [];
$server->post('/live/log-in', function (Request $r) use (&$sessions): Response {
    // "open sesame", hashed so cheaply that it may run here; a real hash takes 0.1 s and belongs into a Parallel\Pool.
    if (!password_verify($r->form('password') ?? '', '$2y$04$DSmx0nRoVgIt67qBWYBOsOr0REVUTZ/8cH5TsLrb8PESY2hdKweTK')) {
        return Response::text("No.\n", 403);
    }
    $sessions[$id = bin2hex(random_bytes(16))] = $r->form('name') ?? 'nobody';
    return Response::redirect('/live/me')->withCookie('session', $id, maxAge: 3600, secure: $r->secure);
});
$server->get('/live/me', function (Request $r) use (&$sessions, $ticket): Response { // fn () => … would see the array of now
    $name = $sessions[$r->cookie('session') ?? ''] ?? null;
    return $name === null
        ? Response::text("Log in first.\n", 401)
        : Response::json(['name' => $name, 'ticket' => $ticket($name, time() + 60)]);
});
$server->post('/live/log-out', function (Request $r) use (&$sessions): Response {
    unset($sessions[$r->cookie('session') ?? '']);
    return Response::redirect('/')->withCookie('session', '', maxAge: 0);
});
$server->onListen(fn (Server $s) => print("Log in, and who that is: curl -Lb '' -d 'name=Mara&password=open+sesame' http://127.0.0.1:$s->port/live/log-in\n"));
exit($server->run());
