<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

use Tusk\Timer;

/** The loop of the running server. */
final class ServerTurn implements Turn
{
    public function defer(\Closure $callback): void
    {
        Timer::defer($callback);
    }

    public function delay(float $seconds, \Closure $callback): string
    {
        return Timer::delay($seconds, $callback);
    }

    public function cancel(string $timer): void
    {
        Timer::cancel($timer);
    }

    public function wait(\Closure $done, float $every = 0.0): void
    {
        // What is deferred to the end of this turn may do it: the first look is right after that.
        for ($pause = 0.0; !$done(); $pause = $every) {
            Timer::sleep($pause);
        }
    }

    public function now(): int
    {
        return (int) (microtime(true) * 1000); // a date
    }

    public function clock(): int
    {
        return intdiv(hrtime(true), 1_000_000);
    }
}
