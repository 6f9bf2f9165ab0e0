<?php
// SPDX-License-Identifier: MIT
// Tusk with a handler that waits: each message is echoed a millisecond later, its fiber parked meanwhile. PORT
declare(strict_types=1);

use Tusk\{Limits, Server, Timer};
use Tusk\WebSocket\{Connection, MessageType};

$server = new Server(listen: "127.0.0.1:{$argv[1]}", limits: new Limits(connections: 1000));
$server->websocket('/', message: static function (Connection $connection, string $data, MessageType $type): void {
    Timer::sleep(0.001);
    $connection->send($data, $type);
});
exit($server->run());
