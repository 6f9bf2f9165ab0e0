<?php

declare(strict_types=1);

// Answers every request after 10 ms, and each tenth after 100 ms; /count tells how many were answered, itself not counted; a WebSocket is
// let in after 250 ms.
// What it serves is decided by its waits and not by the processor, so that two tools that ask it should say the same.

use Tusk\Http\Response;

$server = new Tusk\Server(listen: '127.0.0.1:' . $argv[1]);
$asked = 0;
$answered = 0;
$server->get('/', static function () use (&$asked, &$answered): Response {
    Tusk\Timer::sleep(++$asked % 10 === 0 ? 0.1 : 0.01);
    ++$answered;

    return Response::text("answered\n");
});
$server->get('/count', static function () use (&$answered): Response {
    return Response::text((string) $answered);
});
$server->websocket('/ws', authorize: static function (): bool {
    Tusk\Timer::sleep(0.25);

    return true;
});
exit($server->run());
