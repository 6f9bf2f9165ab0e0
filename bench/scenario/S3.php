<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

return [
    new Scenario('S3', 'echo 16 B, 1,000 connections', Role::Echo, ['ws-echo', '--conns', '1000', '--size', '16'], ['floor' => 0.92, 'bun' => 0.0]),
    new Scenario('S3', 'echo 16 B, 9,000 connections', Role::Echo, ['ws-echo', '--conns', '9000', '--size', '16', '--warmup', '1'], ['floor' => 0.92, 'bun' => 0.0]),
];
