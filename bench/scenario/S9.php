<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

// CPU at most 1.1 times that of plain: deliveries per CPU second at least 1 / 1.1 of it.
$driver = ['ws-deflate', '--conns', '1000', '--size', '1024', '--depth', '8'];

return [
    new Scenario('S9', 'permessage-deflate to 1,000 clients with mixed parameters, 1 KiB; tusk-plain offers nothing', Role::Deflate, $driver, ['tusk-plain' => 0.909], drivers: ['tusk-plain' => [...$driver, '--plain']], short: true),
    new Scenario('S9', 'compressions for each message of it', Role::Deflate, [...$driver, '--counter', 'compressions'], [], 'counted_per_message', less: true, limit: 1.0, unit: ''),
];
