<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** CPU of the load's own workers over time, from their cumulated seconds. */
final class WorkerCpu
{
    /** @var array<int, array{float, float}> by pid: seconds used, at */
    private array $start = [];
    /** @var array<int, array{float, float}> */
    private array $end = [];
    /** @var array{float, float}|null all workers' seconds, at */
    private ?array $last = null;
    private float $cores = 0.0;

    /** @param list<array{pid: int, phase: string, user: float, system: float, switches: int, error: ?string}> $workers */
    public function sample(string $phase, array $workers): void
    {
        $at = hrtime(true) / 1e9;
        $total = 0.0;
        foreach ($workers as $worker) {
            $used = $worker['user'] + $worker['system'];
            $total += $used;
            if ($phase === 'measure') {
                $this->start[$worker['pid']] ??= [$used, $at];
                $this->end[$worker['pid']] = [$used, $at];
            }
        }
        if ($this->last !== null && $at - $this->last[1] > 0) {
            $this->cores = max(0.0, ($total - $this->last[0]) / ($at - $this->last[1]));
        }
        $this->last = [$total, $at];
    }

    /** Cores that all workers used between the last two looks. */
    public function cores(): float
    {
        return $this->cores;
    }

    /** Cores that one worker used in the measuring window. */
    public function inWindow(int $pid): float
    {
        if (!isset($this->start[$pid], $this->end[$pid]) || $this->end[$pid][1] <= $this->start[$pid][1]) {
            return 0.0;
        }

        return ($this->end[$pid][0] - $this->start[$pid][0]) / ($this->end[$pid][1] - $this->start[$pid][1]);
    }
}
