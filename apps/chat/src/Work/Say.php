<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, Message, Room, User, Work};

/**
 * Something that is said. A nonce that its sender has used already gives the message of then.
 *
 * @implements Work<Message>
 */
final readonly class Say implements Work
{
    /**
     * @param bool $kept    the recipient is away
     * @param bool $waiting no connection of the recipient is open: deliver on return
     */
    public function __construct(
        private User $from,
        private Room|User $to,
        private string $text,
        private ?string $nonce,
        private bool $kept,
        private bool $waiting,
    ) {}

    public function do(Ledger $ledger): Message
    {
        return $ledger->messages->add(Message::TEXT, $this->from, $this->to, $this->text, $this->nonce, $this->kept, $this->waiting);
    }
}
