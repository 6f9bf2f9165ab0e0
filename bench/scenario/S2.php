<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

$driver = ['ws-echo', '--conns', '100', '--depth', '16'];
$others = ['native' => 5.0, 'floor' => 0.0, 'bun' => 0.0];

return [
    new Scenario('S2', 'echo 64 B, 16 pipelined', Role::Echo, [...$driver, '--size', '64'], ['uws' => 0.85] + $others),
    new Scenario('S2', 'echo 1 KiB, 16 pipelined', Role::Echo, [...$driver, '--size', '1024'], ['uws' => 1.1] + $others),
    new Scenario('S2', 'echo 64 B, 16 pipelined, p99', Role::Echo, [...$driver, '--size', '64'], ['uws' => 0.5], 'latency_us/p99', less: true, unit: 'us'),
];
