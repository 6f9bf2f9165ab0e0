<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Commits writes, one batch after the other. */
interface Writer
{
    /**
     * Begins a batch, which is one commit. MUST NOT be called before the last one has been collected.
     *
     * @param non-empty-list<Work<mixed>> $works
     */
    public function begin(array $works): void;

    /**
     * What came of the batch, in its order, once it is on disk; null while it is not.
     *
     * @param float $patience seconds that it MAY wait for that
     *
     * @return list<Outcome>|null
     */
    public function collect(float $patience = 0.0): ?array;

    /** Seconds that the last batch took. */
    public function took(): float;

    public function close(): void;
}
