<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

$events = ['sse-fanout', '--conns', '1000', '--size', '64', '--depth', '8'];
$sockets = ['ws-fanout', '--conns', '1000', '--size', '64', '--depth', '8'];

return [
    new Scenario('S8', 'events to 1,000 subscribers, 64 B, 8 in flight; tusk-ws is S4', Role::Events, $events, ['tusk-ws' => 1.0, 'bun' => 0.0], roles: ['tusk-ws' => Role::Broadcast], drivers: ['tusk-ws' => $sockets]),
    new Scenario('S8', 'the page of the chat, 7 KB; tusk-ws is the file of S7', Role::Chat, ['http', '--conns', '100', '--path', '/'], ['tusk-ws' => 1.0], roles: ['tusk-ws' => Role::File], drivers: ['tusk-ws' => ['http', '--conns', '100']]),
    new Scenario('S8', 'post a message to the chat', Role::Chat, ['http', '--conns', '20', '--any-body', '--path', '/msg/ada/all%20hello'], []),
];
