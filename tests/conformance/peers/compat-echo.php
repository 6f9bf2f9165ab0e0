<?php

declare(strict_types=1);

// Echo on the class that users of native extensions know: compat-echo.php PORT

use Tusk\WebSocket\{Connection, Deflate, MessageType, Server, ServerOptions};

ini_set('memory_limit', '-1');
$server = new Server(new ServerOptions(maxMessageSize: 32 << 20, maxQueuedBytes: 33 << 20));
$server->listen('127.0.0.1', (int) $argv[1]);
$server->deflate(new Deflate());
$server->onMessage(fn (Connection $c, string $message, MessageType $type) => $c->send($message, $type));
$server->run();
