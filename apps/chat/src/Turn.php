<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** The loop as the chat sees it; Tusk\Timer in the server, a hand-cranked one in tests. Times in seconds. */
interface Turn
{
    /** $callback MUST run once, after the events of this turn and before the next turn's. */
    public function defer(\Closure $callback): void;

    /** @return string for cancel() */
    public function delay(float $seconds, \Closure $callback): string;

    public function cancel(string $timer): void;

    /** Parks the caller until $done() is true, which is asked each turn or every so many seconds; other handlers run meanwhile. */
    public function wait(\Closure $done, float $every = 0.0): void;

    /** Milliseconds since 1970: a date, which an operator may set back. */
    public function now(): int;

    /** Milliseconds of a clock that nobody sets: for how long something took, or is to last. */
    public function clock(): int;
}
