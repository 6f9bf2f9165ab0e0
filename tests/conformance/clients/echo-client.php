<?php

declare(strict_types=1);

// Connects to the URL given, sends every message back with its type, ends when the connection does.

use Tusk\WebSocket\Client;
use Tusk\WebSocket\Deflate;

if (!class_exists(Client::class)) {
    fwrite(STDERR, "the extension has no client\n");
    exit(2);
}
try {
    $client = new Client(
        $argv[1],
        timeout: 10.0,
        maxMessageSize: 32 << 20,
        deflate: new Deflate(threshold: 0, serverContextTakeover: true, clientContextTakeover: true),
        ca: $argv[2] ?? null,
    );
    while (($data = $client->receive(30.0)) !== null) {
        $client->send($data, $client->lastType());
    }
} catch (Throwable $fault) {
    fwrite(STDERR, $fault->getMessage() . "\n");
    exit(1);
}
