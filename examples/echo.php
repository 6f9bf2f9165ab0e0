<?php

// WebSocket echo, text and binary, with permessage-deflate: php examples/echo.php 9001 [FOLDER]
// With a FOLDER that holds cert.pem and key.pem over TLS.

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\{Limits, Server, Tls};
use Tusk\WebSocket\{Connection, Deflate, MessageType};

ini_set('memory_limit', '-1');
const MIB = 1 << 20;

// What a hostile crowd can make this process hold: messages on their way in, queues on their way out, 1.5 KiB for each
// connection. docs/guide/limits.md adds it up: less than 128 MiB. Over TLS a connection has 48 KiB more, its handshake 28 besides.
$tls = isset($argv[2]) ? new Tls("$argv[2]/cert.pem", "$argv[2]/key.pem") : null;
$server = new Server(listen: "127.0.0.1:$argv[1]", tls: $tls, limits: new Limits(
    connections: $tls ? 450 : 18_000,
    handshakes: $tls ? 225 : 0,
    messageBytes: 32 * MIB,
    unfinishedBytes: 8 * MIB,
    queuedBytes: 33 * MIB,
    queuedBytesTotal: 44 * MIB,
    historyBytes: 64 << 10,
));
$server->websocket(
    '/{path*}',
    message: fn (Connection $c, string $message, MessageType $type) => $c->send($message, $type),
    deflate: new Deflate(),
);
$server->onListen(fn (Server $s) => print("Every message comes back: bin/tusk bench ws-echo " . ($tls ? "wss://localhost:$s->port/ --tls-ca $argv[2]/cert.pem" : "ws://127.0.0.1:$s->port/") . "\n"));
exit($server->run());
