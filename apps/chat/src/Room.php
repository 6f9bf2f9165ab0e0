<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** A room; the one with id 1 is "all", which everybody is in. */
final readonly class Room
{
    public const ALL = 1;

    public function __construct(public int $id, public string $name) {}

    public function isAll(): bool
    {
        return $this->id === self::ALL;
    }

    public function address(): string
    {
        return $this->isAll() ? 'all' : "#{$this->name}";
    }

    public function topic(): string
    {
        return "room.{$this->id}";
    }
}
