<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, Session, User, Work};

/**
 * A password for a name: the other sessions of it end.
 *
 * @implements Work<array{user: User, ended: list<string>}>
 */
final readonly class Protect implements Work
{
    public function __construct(private Session $session, private string $hash) {}

    public function do(Ledger $ledger): array
    {
        return [
            'user' => $ledger->users->protect($this->session->user, $this->hash),
            'ended' => $ledger->sessions->endOthers($this->session->user, $this->session->id),
        ];
    }
}
