<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, User, Work};

/**
 * What waited for a user has reached him.
 *
 * @implements Work<null>
 */
final readonly class Deliver implements Work
{
    public function __construct(private User $user, private int $upto) {}

    public function do(Ledger $ledger): null
    {
        $ledger->messages->delivered($this->user, $this->upto);
        return null;
    }
}
