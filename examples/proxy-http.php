<?php

// Requests to LISTEN go to BACKEND, over kept connections: php examples/proxy-http.php 127.0.0.1:8080 10.0.0.7:80
// What is not given is read from the environment: HTTP_LISTEN, HTTP_BACKEND_ENDPOINT, HTTP_TLS_CERTIFICATE, … (tusk proxy http --help=all).

declare(strict_types=1);

const ANY_ARGUMENTS = true;
require __DIR__ . '/load.php';

use Tusk\Proxy\{BadSetting, Kind, Settings};

try {
    $proxy = Settings::of(Kind::Http, ['listen' => $argv[1] ?? '', 'to' => $argv[2] ?? ''])->proxy();
} catch (BadSetting | ValueError $fault) {
    fwrite(STDERR, "{$fault->getMessage()}\nusage: php examples/proxy-http.php LISTEN BACKEND\n");
    exit(2);
}
$proxy->onListen(fn () => print("The proxy is on port $proxy->port: curl http://127.0.0.1:$proxy->port/\n"));
exit($proxy->run());
