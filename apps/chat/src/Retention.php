<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Removes, slice by slice, what is older or more than the settings keep. */
final readonly class Retention
{
    /** Seconds between two looks; while there is something to remove, between two slices. */
    private const EVERY = 60.0;
    private const BETWEEN = 0.05;

    /** @param \Closure(): mixed $removed is called after each slice */
    public function __construct(
        private Store $store,
        private Turn $turn,
        private Settings $settings,
        private \Closure $removed,
    ) {}

    public function start(): void
    {
        $before = $this->settings->keepDays > 0 ? $this->turn->now() - $this->settings->keepDays * 86_400_000 : 0;
        $ticket = $this->store->write(new Work\Prune($before, $this->settings->keepMessages));
        $ticket->then(function (?Refused $error) use ($ticket): void {
            ($this->removed)();
            $this->turn->delay($error === null && $ticket->value() ? self::BETWEEN : self::EVERY, $this->start(...));
        });
    }
}
