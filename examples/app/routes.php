<?php

// Loaded by each worker of examples/reload.php before it serves: `$server` is the bootstrap's.

declare(strict_types=1);

use Tusk\Http\Response;
use Tusk\WebSocket\Connection;

/** @var Tusk\Server $server */
$server->get('/', fn (): Response => Response::text("the first version\n"));
$server->websocket('/echo', message: fn (Connection $c, string $text) => $c->send($text));
