<?php

// The same by a PHP loop over the connections: php examples/broadcast-foreach.php 9001

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\WebSocket\{Connection, MessageType, Server, ServerOptions};

$server = new Server(new ServerOptions(maxConnections: 18_000));
$server->listen('127.0.0.1', (int) $argv[1]);
$connections = [];
$server->onOpen(function (Connection $c) use (&$connections): void {
    $connections[$c->id] = $c;
});
$server->onMessage(function (Connection $c, string $message, MessageType $type) use (&$connections): void {
    foreach ($connections as $each) {
        if ($each->isOpen()) {
            $each->send($message, $type);
        }
    }
});
$server->onClose(function (Connection $c) use (&$connections): void {
    unset($connections[$c->id]);
});
$server->onStart(fn (Server $s) => print("Every message goes to all: bin/tusk bench fanout ws://127.0.0.1:$s->port/\n"));
$server->run();
