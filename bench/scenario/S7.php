<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

return [
    new Scenario('S7', 'HTTP hello from a PHP handler, 13 B', Role::Hello, ['http', '--conns', '100'], ['floor' => 0.9, 'nginx' => 0.0, 'bun' => 0.0, 'swoole' => 0.0, 'workerman' => 0.0], short: true),
    new Scenario('S7', 'HTTP file 10 KiB', Role::File, ['http', '--conns', '100', '--header', 'Connection: keep-alive'], ['nginx' => 1.6, 'bun' => 0.0, 'swoole' => 0.0]),
];
