<?php

// examples/echo.php with permessage-deflate at its fullest: both sides keep their contexts, every message is compressed.

declare(strict_types=1);

use Tusk\Limits;
use Tusk\Server;
use Tusk\WebSocket\Connection;
use Tusk\WebSocket\Deflate;
use Tusk\WebSocket\MessageType;

ini_set('memory_limit', '-1');
const MIB = 1 << 20;
$server = new Server("127.0.0.1:$argv[1]", limits: new Limits(
    messageBytes: 32 * MIB,
    unfinishedBytes: 8 * MIB,
    queuedBytes: 33 * MIB,
    queuedBytesTotal: 48 * MIB,
));
$server->websocket(
    '/{path*}',
    message: fn (Connection $c, string $message, MessageType $type) => $c->send($message, $type),
    deflate: new Deflate(threshold: 1, serverContextTakeover: true, clientContextTakeover: true),
);
exit($server->run());
