<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Peers;

/** Who takes part here: the peers of `tusk bench suite`, our examples as the subject, and what else of ours is held beside it. */
final class Participants
{
    /** @return array<string, Peer> by the name that --peers takes */
    public static function all(): array
    {
        return [
            ...Peers::all(),
            'tusk' => new Examples(),
            // The same server in another role, or driven in another way: the scenario says which.
            'tusk-foreach' => new Examples(),
            'tusk-plain' => new Examples(),
            'tusk-ws' => new Examples(),
            'core' => new Core(),
            'floor-again' => new Peer\Floor(),
        ];
    }

    /**
     * @param array<string, Peer> $peers
     *
     * @return array<string, string|null> null = absent
     */
    public static function versions(array $peers): array
    {
        return array_map(static fn (Peer $peer): ?string => $peer->version(), $peers);
    }
}
