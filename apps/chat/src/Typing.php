<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Typing notices: passed on at most once in two seconds per writer and talk, never stored. */
final class Typing
{
    public const EVERY_MS = 2000;

    /** @var array<string, int> */
    private array $last = [];

    public function __construct(private readonly Turn $turn) {}

    /** Whether this notice is to be passed on. */
    public function notice(User $user, string $talk): bool
    {
        $key = "{$user->id} $talk";
        $now = $this->turn->clock();
        if (isset($this->last[$key]) && $now - $this->last[$key] < self::EVERY_MS) {
            return false;
        }
        if (count($this->last) >= 1000) {
            $this->last = array_filter($this->last, static fn (int $at): bool => $now - $at < self::EVERY_MS);
        }
        $this->last[$key] = $now;
        return true;
    }

    /** Who has sent what he typed may begin to type again at once. */
    public function sent(User $user, string $talk): void
    {
        unset($this->last["{$user->id} $talk"]);
    }
}
