<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, Session, Work};

/**
 * A log-out.
 *
 * @implements Work<null>
 */
final readonly class Quit implements Work
{
    public function __construct(private Session $session) {}

    public function do(Ledger $ledger): null
    {
        $ledger->sessions->end([$this->session->id]);
        return null;
    }
}
