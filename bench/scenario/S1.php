<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

$targets = ['floor' => 0.92, 'bun' => 1.0, 'swoole' => 1.4, 'ws' => 0.0, 'uws' => 0.0, 'workerman' => 0.0, 'native' => 0.0];

return [
    new Scenario('S1', 'echo 64 B, 100 connections', Role::Echo, ['ws-echo', '--conns', '100', '--size', '64'], $targets, short: true),
    new Scenario('S1', 'echo 1 KiB, 100 connections', Role::Echo, ['ws-echo', '--conns', '100', '--size', '1024'], $targets),
];
