<?php

// SPDX-License-Identifier: MIT
// TCP against a proxy or server: BENCH_HOST, PORT, PROTOCOL, CONCURRENCY, CONNECTIONS, PAYLOAD_BYTES (0: connections a second), TARGET_BYTES,
// PERSISTENT, STREAM_DURATION, TIMEOUT; php bench/proxy/tcp-client.php [--plan]

declare(strict_types=1);

namespace Tusk\Bench\Proxy;

require __DIR__ . '/bench.php';

$port = number('PORT', 5432);
$concurrency = number('CONCURRENCY', processors() * 500);
$payload = number('PAYLOAD_BYTES', 65_536);
$operations = $payload === 0 ? 0 : max($concurrency, intdiv(number('TARGET_BYTES', 8 * 2 ** 30), $payload));
$url = sprintf('tcp://%s:%d', text('HOST', 'localhost'), $port);
$common = [
    'connections' => $concurrency,
    'warmup' => 0,
    'timeout' => number('TIMEOUT', 10),
    'greeting' => protocol($port),
    'duration' => 86_400,
];
$stream = number('STREAM_DURATION', 0);
if ($payload === 0) {
    run('tcp-rate', $url, ['count' => number('CONNECTIONS', $concurrency * 10)] + $common, 'connections');
}
if ($stream > 0) {
    run('tcp-bulk', $url, ['duration' => $stream, 'size' => $payload] + $common, 'writes', $payload);
}
if (flag('PERSISTENT', true)) {
    run('tcp-rr', $url, ['count' => $operations, 'size' => $payload] + $common, 'round trips', 2 * $payload);
}
run('tcp-rate', $url, ['count' => number('CONNECTIONS', $operations), 'size' => $payload] + $common, 'connections with a round trip', 2 * $payload);
