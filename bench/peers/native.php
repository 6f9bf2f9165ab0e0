<?php
// SPDX-License-Identifier: MIT
// A native WebSocket extension with the class WebSocket\Server as a peer: php -d extension=X native.php ROLE PORT
declare(strict_types=1);

use WebSocket\{Connection, Server};

[, $role, $port] = $argv;
$server = new Server();
$server->listen('127.0.0.1', (int) $port);
$open = [];
if ($role === 'broadcast') {
    $server->onOpen(static function (Connection $connection) use (&$open): void {
        $open[$connection->id] = $connection;
    });
    $server->onClose(static function (Connection $connection) use (&$open): void {
        unset($open[$connection->id]);
    });
    $server->onMessage(static function (Connection $connection, string $data) use (&$open): void {
        foreach ($open as $other) {
            $other->send($data);
        }
    });
} else {
    $server->onMessage(static fn (Connection $connection, string $data) => $connection->send($data));
}
$server->run();
