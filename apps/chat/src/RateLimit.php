<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

/** Token buckets, one per key: $burst at once, then $perSecond. */
final class RateLimit
{
    private const KEYS_MAX = 10_000;

    /** No more are left by a look at all of them: or a crowd would have the next one looked for with each of its keys. */
    private const KEYS_FEW = 7_500;

    /** @var array<string, array{float, int}> tokens left at a time in milliseconds; what was asked for last is at the end */
    private array $buckets = [];

    /** @param float $perSecond 0: no limit */
    public function __construct(
        private readonly float $perSecond,
        private readonly float $burst,
        private readonly Turn $turn,
    ) {
        if ($perSecond < 0 || $burst < 1) {
            throw new \ValueError("A rate of $perSecond per second with a burst of $burst cannot be: at least 0 and 1.");
        }
    }

    /** @throws Refused when the bucket is empty */
    public function take(string $key): void
    {
        if ($this->perSecond <= 0.0) {
            return;
        }
        $now = $this->turn->clock();
        [$tokens, $at] = $this->buckets[$key] ?? [$this->burst, $now];
        $tokens = min($this->burst, $tokens + ($now - $at) / 1000 * $this->perSecond);
        unset($this->buckets[$key]); // an array keeps the place of a key that is set again
        if ($tokens < 1.0) {
            $this->buckets[$key] = [$tokens, $now];
            throw Refused::tooFast((1.0 - $tokens) / $this->perSecond);
        }
        $this->buckets[$key] = [$tokens - 1.0, $now];
        if (count($this->buckets) > self::KEYS_MAX) {
            $this->prune($now);
        }
    }

    public function keys(): int
    {
        return count($this->buckets);
    }

    /** A bucket that would be full again is the same as none. When nearly all are in use, those go that were not asked for the longest. */
    private function prune(int $now): void
    {
        $full = (int) ceil($this->burst / $this->perSecond * 1000);
        $this->buckets = array_filter($this->buckets, static fn (array $bucket): bool => $now - $bucket[1] < $full);
        if (count($this->buckets) > self::KEYS_FEW) {
            $this->buckets = array_slice($this->buckets, -intdiv(self::KEYS_MAX, 2), null, true);
        }
    }
}
