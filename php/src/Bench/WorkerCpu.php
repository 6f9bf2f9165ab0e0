<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** CPU of the load's own workers over time, from their cumulated seconds. */
final class WorkerCpu
{
    /** Workers tell their CPU seconds now and then: between two looks that are close together it may stand or leap. */
    private const SPAN = 0.9;

    /** @var array{float, float}|null all workers' seconds, at */
    private ?array $last = null;
    private float $cores = 0.0;

    /** @param list<array{pid: int, phase: string, user: float, system: float, switches: int, error: ?string}> $workers */
    public function sample(array $workers): void
    {
        $at = hrtime(true) / 1e9;
        $total = array_sum(array_column($workers, 'user')) + array_sum(array_column($workers, 'system'));
        if ($this->last !== null && $at - $this->last[1] < self::SPAN) {
            return;
        }
        if ($this->last !== null) {
            $this->cores = max(0.0, ($total - $this->last[0]) / ($at - $this->last[1]));
        }
        $this->last = [$total, $at];
    }

    /** Cores that all workers used lately. */
    public function cores(): float
    {
        return $this->cores;
    }
}
