<?php
// SPDX-License-Identifier: MIT
// Tusk for S9: every message to every connection with permessage-deflate, and what was counted at /stats. PORT
declare(strict_types=1);

use Tusk\Http\Response;
use Tusk\{Limits, Server};
use Tusk\WebSocket\{Connection, Deflate, MessageType};

$server = new Server(listen: "127.0.0.1:{$argv[1]}", limits: new Limits(connections: 12_000));
$server->websocket(
    '/',
    open: static fn (Connection $c) => $c->subscribe('all'),
    message: static fn (Connection $c, string $m, MessageType $t) => $server->publish('all', $m, $t),
    deflate: new Deflate(),
);
$server->get('/stats', static fn (): Response => Response::json($server->stats()));
exit($server->run());
