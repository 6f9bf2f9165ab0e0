<?php

// SPDX-License-Identifier: MIT
// A backend that sends every byte back, after its PROTOCOL's greeting: BENCH_HOST, PORT, PROTOCOL, WORKERS; php bench/proxy/tcp-backend.php

declare(strict_types=1);

namespace Tusk\Bench\Proxy;

require __DIR__ . '/bench.php';

backend('tcp', 15_432);
