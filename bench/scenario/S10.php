<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

// 9,000, as the chat's server and the driver have 20,000 descriptors each and the chat 10,000 connections.
$driver = ['storm', '--conns', '9000', '--path', '/events?as=u{t}', '--publish', 'POST /messages from=ada&to=all&text={m}',
    '--rate', '10', '--warmup', '2', '--seconds', '15'];

return [
    new Scenario('S10', 'kill -9 and start: 95 % of 9,000 streams of 100 users are back and receiving', Role::Chat, [...$driver, '--restart-signal', '9'], [], 'back95_ms', less: true, limit: 3000.0, restart: true, unit: 'ms'),
    new Scenario('S10', 'SIGTERM and start: the same, from the start of the new server', Role::Chat, $driver, [], 'back95_ms', less: true, limit: 3000.0, restart: true, unit: 'ms'),
];
