<?php

// The class with the method names of native WebSocket extensions: php examples/native.php 9001

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\WebSocket\{Connection, HandshakeException, HandshakeResponse, MessageType, Request, Server, ServerOptions};

$server = new Server(new ServerOptions(maxMessageSize: 1 << 20, idleTimeoutMs: 60_000, pingIntervalMs: 20_000));
$server->listen('127.0.0.1', (int) $argv[1]);
$server->subprotocols('chat.v2', 'chat.v1');
$server->onHandshake(function (Request $request): void {
    if ($request->header('authorization') !== 'Bearer secret') {
        throw new HandshakeException(new HandshakeResponse(401, ['WWW-Authenticate' => 'Bearer'], "Who are you?\n"));
    }
});
$server->onOpen(function (Connection $c): void {
    $c->state = 0; // yours, freed with the connection
    $c->send("welcome, you speak {$c->subprotocol}");
});
$server->onMessage(function (Connection $c, string $message, MessageType $type): void {
    $c->state = $count = is_int($c->state) ? $c->state + 1 : 1;
    if ($message === 'bye') {
        $c->close(1000, "after $count messages");
        return;
    }
    $c->send($message, $type);
});
$server->onClose(fn (Connection $c) => file_put_contents("php://stdout", "$c->id is gone\n"));
$server->onError(fn (Throwable $e) => error_log((string) $e));
$server->onStart(fn (Server $s) => print("Clients of ws://127.0.0.1:$s->port/ send \"Authorization: Bearer secret\" and speak chat.v1 or chat.v2\n"));
$server->run();
