<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** CPU of the load's own workers from one interval to the next, as the system counts it. */
final class WorkerCpu
{
    /** Shorter spans tell nothing. */
    private const SPAN = 0.5;

    /** @var array<int, float> CPU seconds by process id */
    private array $used = [];
    private float $at = 0.0;
    private float $cores = 0.0;

    /** @param list<array{pid: int, phase: string, user: float, system: float, switches: int, error: ?string}> $workers */
    public function sample(array $workers): void
    {
        $at = hrtime(true) / 1e9;
        if ($at - $this->at < self::SPAN) {
            return;
        }
        $used = [];
        foreach ($workers as $worker) {
            $nanoseconds = strtok((string) @file_get_contents("/proc/{$worker['pid']}/schedstat"), ' ');
            if ($nanoseconds !== false) {
                $used[$worker['pid']] = (float) $nanoseconds / 1e9;
            }
        }
        if ($used === []) {
            return;         // they have ended, or there is no /proc: the last figure stays
        }
        if ($this->used !== []) {
            $this->cores = 0.0;
            foreach ($used as $pid => $seconds) {
                $this->cores += max(0.0, $seconds - ($this->used[$pid] ?? 0.0)) / ($at - $this->at);
            }
        }
        [$this->used, $this->at] = [$used, $at];
    }

    /** Cores that all workers used between the last two looks. */
    public function cores(): float
    {
        return $this->cores;
    }
}
