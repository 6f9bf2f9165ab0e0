<?php

// New code by SIGHUP: php examples/reload.php 8080 [FILE]; change examples/app/routes.php (or FILE), then: kill -HUP with the number that it prints.
// What stands here is as it was when the process began: addresses, limits, keys. What the bootstrap loads, each new worker loads anew.

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\Server;

$routes = $argv[2] ?? __DIR__ . '/app/routes.php';
$server = new Server(listen: "127.0.0.1:$argv[1]", workers: 2, bootstrap: fn (Server $server) => require $routes);
$server->onListen(fn (Server $s) => print("Ask, change $routes, kill -HUP " . getmypid() . ", and ask again: curl http://127.0.0.1:$s->port/\n"));
exit($server->run());
