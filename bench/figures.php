<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

// What `bench/figures` shows, by files of bench/results. A later file's row takes the place of an earlier one's. New figures: name
// the file that `make bench-all` wrote, then `make figures`.
return [
    'machines' => [
        'Xeon' => ['2026-12-01-xeon.json'],
        'EPYC' => ['2026-11-29.json'],
        'Dear calls' => ['2026-11-30-fc-night.json', '2026-11-30-fc-night-user.json'],
    ],
    'proxy' => ['2026-11-23-proxy-round-trips.json', '2026-11-23-proxy-connections.json', '2026-11-23-proxy-http.json'],
];
