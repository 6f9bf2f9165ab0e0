<?php

// Every message goes to every connection, encoded once: php examples/broadcast.php 9001

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\{Limits, Server};
use Tusk\WebSocket\{Connection, MessageType};

$server = new Server(listen: "127.0.0.1:$argv[1]", limits: new Limits(connections: 18_000));
$server->websocket(
    '/{path*}',
    open: fn (Connection $c) => $c->subscribe('all'),
    message: fn (Connection $c, string $message, MessageType $type) => $server->publish('all', $message, $type),
);
$server->onListen(fn (Server $s) => print("Every message goes to all: bin/tusk bench fanout ws://127.0.0.1:$s->port/\n"));
exit($server->run());
