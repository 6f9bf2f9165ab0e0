<?php
// SPDX-License-Identifier: MIT
// Tusk beside attacks: echo at /echo with permessage-deflate and the limits of examples/echo.php, a topic at /topic, a page at /. PORT
declare(strict_types=1);

use Tusk\Http\Response;
use Tusk\{Limits, Server};
use Tusk\WebSocket\{Connection, Deflate, MessageType};

const MIB = 1 << 20;

$server = new Server(listen: "127.0.0.1:{$argv[1]}", limits: new Limits(
    connections: 18_000,
    messageBytes: 32 * MIB,
    unfinishedBytes: 8 * MIB,
    queuedBytes: 33 * MIB,
    queuedBytesTotal: 44 * MIB,
    historyBytes: 64 << 10,
));
$server->websocket(
    '/echo',
    message: static fn (Connection $c, string $m, MessageType $t) => $c->send($m, $t),
    deflate: new Deflate(),
);
$server->websocket(
    '/topic',
    open: static fn (Connection $c) => $c->subscribe('all'),
    message: static fn (Connection $c, string $m, MessageType $t) => $server->publish('all', $m, $t),
);
$server->get('/', static fn (): Response => Response::text('Hello, World!'));
exit($server->run());
