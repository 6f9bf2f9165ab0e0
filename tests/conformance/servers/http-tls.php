<?php

// examples/http.php over TLS: http-tls.php PORT FOLDER CERTIFICATES, which holds cert.pem and key.pem

declare(strict_types=1);

use Tusk\Http\Request;
use Tusk\Http\Response;
use Tusk\Limits;
use Tusk\Server;
use Tusk\Tls;

$server = new Server("127.0.0.1:$argv[1]", tls: new Tls("$argv[3]/cert.pem", "$argv[3]/key.pem"), limits: new Limits(connections: 1_000));
$server->get('/', static fn (Request $request): Response => Response::text('Hello, World!'));
$server->files('/static', $argv[2]);
exit($server->run());
