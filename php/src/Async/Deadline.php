<?php

declare(strict_types=1);

namespace Tusk\Async;

use Tusk\Wait;

/**
 * One time for several waits.
 * @internal
 */
final readonly class Deadline
{
    /** As Tusk\Wait takes it; thirty years. */
    private const MAX = 1e9;

    private int $end;

    public function __construct(private ?float $seconds, private string $what)
    {
        if ($seconds !== null && !($seconds >= 0)) {
            throw new \ValueError('timeout must be at least 0 seconds, ' . (is_nan($seconds) ? 'NAN' : $seconds) . ' was given');
        }
        $this->end = $seconds === null ? 0 : (int) (hrtime(true) + min($seconds, self::MAX) * 1e9); // more than an int has
    }

    /** @param resource|int $stream */
    public function readable($stream): void
    {
        if (!Wait::readable($stream, $this->left())) {
            throw TimedOut::after($this->seconds ?? 0.0, $this->what);
        }
    }

    /** @param resource|int $stream */
    public function writable($stream): void
    {
        if (!Wait::writable($stream, $this->left())) {
            throw TimedOut::after($this->seconds ?? 0.0, $this->what);
        }
    }

    /** Throws when the time is over. */
    public function check(): void
    {
        if ($this->left() === 0.0) {
            throw TimedOut::after($this->seconds ?? 0.0, $this->what);
        }
    }

    private function left(): ?float
    {
        return $this->seconds === null ? null : max(0.0, ($this->end - hrtime(true)) / 1e9);
    }
}
