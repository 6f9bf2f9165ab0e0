<?php

// Mail clients of LISTEN speak with BACKEND: php examples/proxy-smtp.php 127.0.0.1:2525 10.0.0.7:25
// What is not given is read from the environment: SMTP_LISTEN, SMTP_BACKEND_ENDPOINT, SMTP_TLS_CERTIFICATE, … (tusk proxy smtp --help=all).

declare(strict_types=1);

const ANY_ARGUMENTS = true;
require __DIR__ . '/load.php';

use Tusk\Proxy\{BadSetting, Kind, Settings};

try {
    $proxy = Settings::of(Kind::Smtp, ['listen' => $argv[1] ?? '', 'to' => $argv[2] ?? ''])->proxy();
} catch (BadSetting | ValueError $fault) {
    fwrite(STDERR, "{$fault->getMessage()}\nusage: php examples/proxy-smtp.php LISTEN BACKEND\n");
    exit(2);
}
$proxy->onListen(fn () => print("The proxy is on port $proxy->port: mail clients speak with it as if it were the backend\n"));
exit($proxy->run());
