<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Somebody who has logged in at least once. */
final readonly class User
{
    public function __construct(public int $id, public string $name, public bool $protected = false) {}

    public function topic(): string
    {
        return "user.{$this->id}";
    }
}
