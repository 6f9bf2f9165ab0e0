<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

$driver = ['ws-handshake', '--conns', '32', '--subprotocol', 'chat.v1', '--sources', '8'];

return [
    new Scenario('S5', 'upgrade and close, onHandshake, subprotocol', Role::Handshake, $driver, ['floor' => 0.90, 'bun' => 0.0, 'swoole' => 0.0], short: true),
    // What is between its system calls: the kernel's own figure is a sample at each tick, and says the same of the floor.
    new Scenario('S5', 'user time of it, between its calls', Role::Handshake, $driver, ['floor' => 0.0], 'computed_us', less: true, limit: 3.0, unit: 'us', counts: 'user_time'),
];
