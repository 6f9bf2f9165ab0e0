<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Role;

// p99 of 20 guests who send 2,000 messages a second together, while others attack. One run has quiet and attacked slices
// in turns over the same connections; the ratio is quiet ÷ attacked of slices that follow each other: 0.5 says that the
// attack doubles it. "none" is quiet against quiet: what this machine can tell apart.
$guests = ['ws-beside', '--conns', '20', '--rate', '2000', '--path', '/echo', '--warmup', '0.5', '--pairs', '16', '--slice', '0.25'];
$kinds = [
    ['none', 1, 'does nothing'],
    ['stalled', 50, 'send large messages and never read'],
    ['slow-readers', 50, 'send large messages and read 100 KB a second'],
    ['pings', 50, 'ping and never read'],
    ['pipeline', 50, 'pipeline requests and never read'],
    ['dribble', 200, 'send heads byte by byte'],
    ['fragments', 4, 'send frames of one byte without a pause'],
    ['handshakes', 1, 'connects, begins a handshake and leaves'],
    ['offences', 1, 'breaks the protocol, again and again'],
    ['bombs', 1, 'sends 64 MiB of zeros compressed, again and again'],
    ['bombs', 8, 'send 64 MiB of zeros compressed at once, again and again'],
    ['arrivals', 5000, 'come at once with 64 KB each, and go, again and again'],
    ['publications', 5000, 'are subscribed to what is published ten times a second'],
    ['echoes', 5000, 'send a message, and the next when it is answered'],
];
$scenarios = [];
foreach ($kinds as [$kind, $attackers, $text]) {
    $scenarios[] = new Scenario(
        'beside',
        "p99 beside $attackers that $text",
        Role::Beside,
        [...$guests, '--attack', $kind, '--attackers', (string) $attackers],
        ['quiet' => 0.5],
        'pair_us',
        less: true,
        unit: 'us',
        within: 'quiet',
    );
}

return $scenarios;
