<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, Message, Room, User, Work};

/**
 * Leaving a room; the notice, unless the user was not in it.
 *
 * @implements Work<array{room: Room, notice: Message|null}>
 */
final readonly class Leave implements Work
{
    public function __construct(private User $user, private Room $room) {}

    public function do(Ledger $ledger): array
    {
        $wasIn = $ledger->rooms->leave($this->user, $this->room);
        return ['room' => $this->room, 'notice' => $wasIn ? $ledger->messages->add(Message::LEAVE, $this->user, $this->room, '') : null];
    }
}
