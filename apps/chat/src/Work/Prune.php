<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, Work};

/**
 * Removes what is too old or too much, at most a slice of it; whether there may be more.
 *
 * @implements Work<bool>
 */
final readonly class Prune implements Work
{
    /**
     * @param int $before  milliseconds since 1970: what was said earlier goes; 0: nothing
     * @param int $keep    so many messages stay; 0: all
     */
    public function __construct(private int $before, private int $keep) {}

    public function do(Ledger $ledger): bool
    {
        $ledger->sessions->prune();
        $isAll = $ledger->messages->prune($this->before, $this->keep);
        if ($isAll) {
            $ledger->rooms->prune();
        }
        return !$isAll;
    }
}
