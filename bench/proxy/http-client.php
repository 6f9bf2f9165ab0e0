<?php

// SPDX-License-Identifier: MIT
// HTTP requests against a proxy or server: BENCH_HOST, PORT, CONCURRENCY, REQUESTS, KEEP_ALIVE, TIMEOUT; php bench/proxy/http-client.php [--plan]

declare(strict_types=1);

namespace Tusk\Bench\Proxy;

require __DIR__ . '/bench.php';

$concurrency = number('CONCURRENCY', processors() * 500);
run('http', sprintf('http://%s:%d/', text('HOST', 'localhost'), number('PORT', 8080)), [
    'connections' => $concurrency,
    'count' => number('REQUESTS', $concurrency * 500),
    'duration' => 86_400,
    'warmup' => 0,
    'keep-alive' => flag('KEEP_ALIVE', true),
    'timeout' => number('TIMEOUT', 10),
], 'requests');
