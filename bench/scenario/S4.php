<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

$driver = ['ws-fanout', '--conns', '1000', '--depth', '8'];
$targets = ['bun' => 1.3, 'tusk-foreach' => 0.0, 'floor' => 0.0, 'uws' => 0.0, 'swoole' => 0.0];
$roles = ['tusk-foreach' => Role::Foreach];

return [
    new Scenario('S4', 'fan-out to 1,000, 64 B, 8 in flight', Role::Broadcast, [...$driver, '--size', '64'], $targets, roles: $roles, short: true),
    new Scenario('S4', 'fan-out to 1,000, 1 KiB, 8 in flight', Role::Broadcast, [...$driver, '--size', '1024'], $targets, roles: $roles),
    new Scenario('S4', 'delivery p99, 64 B, 8 in flight', Role::Broadcast, [...$driver, '--size', '64'], ['bun' => 1.0], 'latency_us/p99', less: true, unit: 'us'),
    new Scenario('S4', 'delivery p99, 64 B, 1 in flight', Role::Broadcast, ['ws-fanout', '--conns', '1000', '--size', '64'], ['bun' => 1.0, 'floor' => 0.0], 'latency_us/p99', less: true, unit: 'us'),
];
