<?php

// SPDX-License-Identifier: MIT
// The server of run.mjs: argument 1 is the origin of the page. Prints its port once it listens.
declare(strict_types=1);

use Tusk\Http\Request;
use Tusk\Server;
use Tusk\Sse\EventStream;

$server = new Server('127.0.0.1:0');
$hello = function (EventStream $s): void {
    $s->retry(10);
    $s->send('seen: ' . ($s->lastEventId === null ? 'first' : 'again') . ", $s->identity", id: 'one');
    if ($s->lastEventId === null) {
        $s->close(); // it comes back by itself, with its id
    }
};
$who = fn (Request $r): string => $r->cookie('who') ?? 'nobody';
$server->events('/listed', $hello, authorize: $who, origins: [$argv[1]]);
$server->events('/others', $hello, authorize: $who, origins: ['https://example.org']);
$server->events('/silent', $hello, authorize: $who);
$server->onListen(function (Server $server): void {
    echo $server->port, "\n";
});
exit($server->run());
