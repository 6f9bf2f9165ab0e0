<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat\Work;

use Tusk\Chat\{Ledger, Name, User, Work};

/**
 * A user by name alone, made when new: in open mode, where nobody logs in.
 *
 * @implements Work<User>
 */
final readonly class Introduce implements Work
{
    public function __construct(private Name $name) {}

    public function do(Ledger $ledger): User
    {
        return $ledger->users->enter($this->name);
    }
}
