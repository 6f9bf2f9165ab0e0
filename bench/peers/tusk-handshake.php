<?php
// SPDX-License-Identifier: MIT
// Tusk for S5: what an upgrade costs when a handler looks at the request and a subprotocol is agreed on. PORT
declare(strict_types=1);

use Tusk\WebSocket\{HandshakeException, Request, Server};

$server = new Server();
$server->listen('127.0.0.1', (int) $argv[1]);
$server->subprotocols('chat.v1');
$server->onHandshake(static function (Request $request): void {
    if ($request->header('host') === null) {
        throw new HandshakeException();
    }
});
$server->run();
