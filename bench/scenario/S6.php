<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

return [
    new Scenario('S6', 'user memory per idle connection, 5,000', Role::Echo, ['idle', '--conns', '5000'], ['floor' => 0.0, 'bun' => 0.0, 'uws' => 0.0], 'pss_per_conn', less: true, limit: 512.0, fresh: true, unit: 'B'),
    new Scenario('S6', 'user memory per idle TLS connection, 5,000', Role::Tls, ['idle', '--conns', '5000', '--tls'], [], 'pss_per_conn', less: true, limit: 16384.0, fresh: true, unit: 'B'),
];
