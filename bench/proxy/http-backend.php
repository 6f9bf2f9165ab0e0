<?php

// SPDX-License-Identifier: MIT
// A backend that answers every request with 13 bytes: BENCH_HOST, PORT, WORKERS; php bench/proxy/http-backend.php

declare(strict_types=1);

namespace Tusk\Bench\Proxy;

require __DIR__ . '/bench.php';

backend('http', 18_080);
