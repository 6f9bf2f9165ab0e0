<?php
// SPDX-License-Identifier: MIT
// Tusk as `tusk bench suite` runs it: php -d extension=tusk.so tusk.php echo|broadcast|handshake PORT [CERTIFICATE KEY]
declare(strict_types=1);

use Tusk\{Limits, Server, Tls};
use Tusk\WebSocket\{Connection, MessageType};

[, $role, $port] = $argv;
$server = new Server(
    listen: "127.0.0.1:$port",
    tls: isset($argv[4]) ? new Tls($argv[3], $argv[4]) : null,
    limits: new Limits(connections: 19000),
);
match ($role) {
    'broadcast' => $server->websocket(
        '/',
        open: static fn (Connection $connection) => $connection->subscribe('all'),
        message: static fn (Connection $connection, string $data, MessageType $type) => $server->publish('all', $data, $type),
    ),
    'handshake' => $server->websocket('/', subprotocols: ['chat.v1']),
    default => $server->websocket('/', message: static fn (Connection $connection, string $data, MessageType $type) => $connection->send($data, $type)),
};
exit($server->run());
