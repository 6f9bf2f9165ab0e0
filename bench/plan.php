<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

// `make bench-all`: everything that docs/performance.md shows, in at most 25 minutes on a quiet machine. A row is: scenario,
// peers (null: all it has targets for), rounds, seconds of each run, what of its titles (null: all).

return [
    ['S1', ['floor'], 40, 0.5, null],
    ['S1', ['bun', 'swoole', 'uws', 'workerman', 'ws', 'native'], 10, 0.5, null],
    ['S2', ['uws', 'native', 'floor', 'bun'], 12, 0.5, null],
    ['S3', ['floor'], 24, 0.5, '1,000'],
    ['S3', ['floor'], 10, 0.8, '9,000'],
    ['S4', ['bun', 'tusk-foreach', 'floor', 'uws', 'swoole'], 10, 0.6, 'fan-out'],
    ['S4', ['bun', 'floor'], 10, 0.6, 'p99'],
    ['S5', ['floor'], 40, 0.5, 'upgrade'],
    ['S5', ['bun', 'swoole'], 8, 0.5, 'upgrade'],
    ['S5', ['floor'], 6, 1.0, 'user time'],
    ['S6', ['floor', 'bun', 'uws'], 5, 0.5, null],
    ['S7', ['floor', 'nginx'], 24, 0.5, null],
    ['S7', ['bun', 'swoole', 'workerman'], 8, 0.5, null],
    ['S8', ['tusk-ws'], 12, 0.5, null],
    ['S9', ['tusk-plain'], 10, 0.6, 'permessage-deflate'],
    ['S9', [], 3, 0.6, 'compressions'],
    ['S10', [], 3, 0.5, null],
    ['beside', null, 1, 1.0, null],
];
