<?php
// SPDX-License-Identifier: MIT
// Tusk with a handler that asks a posted form for a field and its file. PORT
declare(strict_types=1);

use Tusk\Http\{Request, Response};
use Tusk\{Limits, Server};

$server = new Server(listen: "127.0.0.1:{$argv[1]}", limits: new Limits(connections: 1000));
$server->post('/', static fn (Request $r): Response => Response::text("{$r->form('title')} {$r->file('picture')?->size}"));
exit($server->run());
