<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** A run as it stands now, for a display. */
final readonly class Snapshot
{
    /**
     * @param float              $elapsed  seconds since the run began
     * @param array<string, int> $counters of the whole run so far
     * @param list<Interval>     $intervals those that ended, the newest last; at most a minute of them
     */
    public function __construct(public float $elapsed, public string $phase, public array $counters, public array $intervals) {}

    public function last(): ?Interval
    {
        return $this->intervals === [] ? null : $this->intervals[count($this->intervals) - 1];
    }
}
