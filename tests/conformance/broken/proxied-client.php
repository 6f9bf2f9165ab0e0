<?php

declare(strict_types=1);

// proxied-client.php FAULT: clients/proxied-client.php through a proxy of its own that has this fault, and ends with it.

$proxy = proc_open([PHP_BINARY, '-n', __DIR__ . '/proxy.php', $argv[1]], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes) ?: exit(1);
$argv[1] = trim((string) fgets($pipes[1]));
require dirname(__DIR__) . '/clients/proxied-client.php';
