<?php

// HTTPS and WSS: php examples/tls.php 8443 FOLDER, where FOLDER holds cert.pem and key.pem (docs/guide/tls.md makes them).

declare(strict_types=1);

require __DIR__ . '/load.php';

use Tusk\{Limits, Server, Tls};
use Tusk\Http\{Request, Response};
use Tusk\WebSocket\{Connection, MessageType};

if (!isset($argv[2])) {
    fwrite(STDERR, "usage: php examples/tls.php PORT FOLDER\n");
    exit(2);
}
$server = new Server(
    listen: "127.0.0.1:$argv[1]",
    tls: new Tls("$argv[2]/cert.pem", "$argv[2]/key.pem"),
    limits: new Limits(handshakes: 200), // TLS handshakes cost a processor's time
);
$server->get('/', fn (Request $r): Response => Response::text($r->secure ? "safe\n" : "plain\n"));
$server->websocket('/echo', message: fn (Connection $c, string $data, MessageType $type) => $c->send($data, $type));
$server->onListen(fn (Server $s) => print("Over TLS: curl --cacert $argv[2]/cert.pem https://localhost:$s->port/\n"));
exit($server->run());
