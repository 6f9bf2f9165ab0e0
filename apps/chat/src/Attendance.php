<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/**
 * Comings and goings, told together: at once when it is quiet, then at most every half second. When a thousand people return after a
 * restart, everybody reads a few notices, not a thousand.
 */
final class Attendance
{
    private const EVERY = 0.5;

    /** @var array<int, User> */
    private array $came = [];

    /** @var array<int, User> */
    private array $left = [];

    private bool $pausing = false;

    /** @param \Closure(list<User>, list<User>): mixed $tell who came and who left */
    public function __construct(private readonly Turn $turn, private readonly \Closure $tell) {}

    public function came(User $user): void
    {
        if (isset($this->left[$user->id])) {
            unset($this->left[$user->id]);
        } else {
            $this->came[$user->id] = $user;
            $this->tellSoon();
        }
    }

    public function left(User $user): void
    {
        if (isset($this->came[$user->id])) {
            unset($this->came[$user->id]);
        } else {
            $this->left[$user->id] = $user;
            $this->tellSoon();
        }
    }

    private function tellSoon(): void
    {
        if (!$this->pausing) {
            $this->pausing = true;
            $this->turn->defer($this->tell(...));
        }
    }

    private function tell(): void
    {
        [$came, $left] = [array_values($this->came), array_values($this->left)];
        $this->came = $this->left = [];
        $this->pausing = $came !== [] || $left !== [];
        if ($this->pausing) {
            ($this->tell)($came, $left);
            $this->turn->delay(self::EVERY, $this->tell(...));
        }
    }
}
