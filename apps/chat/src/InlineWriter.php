<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Writes in this process, at once: for tests, where one process is easier to reason about than two. */
final class InlineWriter implements Writer
{
    /** @var list<Outcome>|null */
    private ?array $outcomes = null;

    public function __construct(private readonly Ledger $ledger) {}

    public function begin(array $works): void
    {
        $this->outcomes = $this->ledger->write($works);
    }

    public function collect(float $patience = 0.0): ?array
    {
        [$outcomes, $this->outcomes] = [$this->outcomes, null];
        return $outcomes;
    }

    public function took(): float
    {
        return 0.0;
    }

    public function close(): void {}
}
