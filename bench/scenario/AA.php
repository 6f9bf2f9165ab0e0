<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

// A against A: run with --subject floor; the interval is what the set-up can resolve.

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

$targets = ['floor-again' => 0.0];

return [
    new Scenario('AA', 'echo 64 B', Role::Echo, ['ws-echo', '--conns', '100', '--size', '64'], $targets),
    new Scenario('AA', 'echo 64 B, 16 pipelined', Role::Echo, ['ws-echo', '--conns', '100', '--size', '64', '--depth', '16'], $targets),
    new Scenario('AA', 'fan-out to 1,000', Role::Broadcast, ['ws-fanout', '--conns', '1000', '--depth', '8'], $targets),
    new Scenario('AA', 'upgrade and close', Role::Echo, ['ws-handshake', '--conns', '32', '--sources', '8'], $targets),
    new Scenario('AA', 'HTTP 13 B', Role::Hello, ['http', '--conns', '100'], $targets),
];
