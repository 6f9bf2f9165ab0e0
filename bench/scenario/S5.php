<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

$driver = ['ws-handshake', '--conns', '32', '--subprotocol', 'chat.v1', '--sources', '8'];

return [
    new Scenario('S5', 'upgrade and close, onHandshake, subprotocol', Role::Handshake, $driver, ['floor' => 0.90, 'bun' => 0.0, 'swoole' => 0.0], short: true),
    new Scenario('S5', 'user time of it', Role::Handshake, $driver, [], 'server_user_us', less: true, limit: 3.0, unit: 'us'),
];
