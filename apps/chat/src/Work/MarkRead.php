<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, User, Work};

/**
 * What a user has read of a talk.
 *
 * @implements Work<null>
 */
final readonly class MarkRead implements Work
{
    public function __construct(private User $user, private string $talk, private int $upto) {}

    public function do(Ledger $ledger): null
    {
        $ledger->messages->markRead($this->user, $this->talk, $this->upto);
        return null;
    }
}
