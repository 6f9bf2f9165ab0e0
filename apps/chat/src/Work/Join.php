<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, Message, Name, Room, User, Work};

/**
 * Joining a room, which is made when there is none of that name; the notice, unless the user was in it already.
 *
 * @implements Work<array{room: Room, notice: Message|null}>
 */
final readonly class Join implements Work
{
    public function __construct(private User $user, private Name $name) {}

    public function do(Ledger $ledger): array
    {
        $room = $ledger->rooms->make($this->name);
        $isNew = $ledger->rooms->join($this->user, $room);
        return ['room' => $room, 'notice' => $isNew ? $ledger->messages->add(Message::JOIN, $this->user, $room, '') : null];
    }
}
