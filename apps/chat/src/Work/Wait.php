<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, Work};

/**
 * A message whose recipient was gone by the time it was committed: it is delivered on return.
 *
 * @implements Work<null>
 */
final readonly class Wait implements Work
{
    public function __construct(private int $message) {}

    public function do(Ledger $ledger): null
    {
        $ledger->messages->wait($this->message);
        return null;
    }
}
