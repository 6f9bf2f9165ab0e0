<?php

// SPDX-License-Identifier: MIT
// The server of run.mjs that speaks TLS: argument 1 is a PEM file with a certificate and its key. Prints its port once it listens.
declare(strict_types=1);

use Tusk\Http\Request;
use Tusk\Http\Response;
use Tusk\Server;
use Tusk\Sse\EventStream;
use Tusk\Tls;
use Tusk\TlsInfo;
use Tusk\WebSocket\Connection;

$said = fn (?TlsInfo $tls): string => "TLS {$tls?->version} of {$tls?->serverName}";
$server = new Server('127.0.0.1:0', tls: new Tls($argv[1], $argv[1]));
$server->get('/', fn (Request $r): Response => Response::html('<!doctype html><title>' . $said($r->tls()) . '</title>'));
$server->websocket(
    '/echo',
    open: fn (Connection $c) => $c->send($said($c->tls())),
    message: fn (Connection $c, string $message) => $c->send($message),
);
$server->events('/events', function (EventStream $s) use ($said): void {
    $s->retry(10);
    $s->send(($s->lastEventId === null ? 'first' : 'again') . ', ' . $said($s->tls()), id: 'one');
    if ($s->lastEventId === null) {
        $s->close(); // it comes back by itself, with its id
    }
});
$server->onListen(function (Server $server): void {
    echo $server->port, "\n";
});
exit($server->run());
