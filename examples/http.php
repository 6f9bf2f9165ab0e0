<?php

// HTTP from a PHP handler, and a folder under /static: php examples/http.php 8080 [FOLDER]

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\{Limits, Server};
use Tusk\Http\{Request, Response};

$server = new Server(listen: "127.0.0.1:$argv[1]", limits: new Limits(connections: 18_000));
$server->get('/', fn (Request $request): Response => Response::text('Hello, World!'));
if (isset($argv[2])) {
    $server->files('/static', $argv[2]);
}
$server->onListen(fn (Server $s) => print("Ask: curl http://127.0.0.1:$s->port/\n"));
exit($server->run());
