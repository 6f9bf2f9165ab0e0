<?php

// Clients of LISTEN go to BACKEND; connected as soon as they are accepted: php examples/proxy-tcp.php 127.0.0.1:5432 10.0.0.7:5432 [copy|splice|uring|sockmap]
// What is not given is read from the environment: TCP_LISTEN, TCP_BACKEND_ENDPOINT, TCP_TLS_CERTIFICATE, … (tusk proxy tcp --help=all).

declare(strict_types=1);

const ANY_ARGUMENTS = true;
require __DIR__ . '/load.php';

use Tusk\Proxy\{BadSetting, Kind, Settings};

try {
    $proxy = Settings::of(Kind::Tcp, ['listen' => $argv[1] ?? '', 'to' => $argv[2] ?? '', 'engine' => $argv[3] ?? ''])->proxy();
} catch (BadSetting | ValueError $fault) {
    fwrite(STDERR, "{$fault->getMessage()}\nusage: php examples/proxy-tcp.php LISTEN BACKEND [copy|splice|uring|sockmap]\n");
    exit(2);
}
$proxy->onListen(fn () => print("The proxy is on port $proxy->port: connect to it as if it were the backend\n"));
$proxy->onStart(fn () => $proxy->worker() === null && fprintf(STDERR, "engine: %s\n", $proxy->engine()));
exit($proxy->run());
