<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** CPU of the load's own workers from one interval to the next, and how long they waited for a processor in the window, as the system counts both. */
final class WorkerCpu
{
    /** Shorter spans tell nothing. */
    private const SPAN = 0.5;

    /** @var array<int, float> CPU seconds by process id */
    private array $used = [];
    private float $at = 0.0;
    private float $cores = 0.0;
    /** @var array<int, array{float, float}> when a worker was seen first in the window, and how long it had waited by then */
    private array $since = [];
    /** @var array<int, float> share of the window so far */
    private array $waited = [];
    private bool $over = false;

    /** @param list<array{pid: int, phase: string, user: float, system: float, switches: int, error: ?string}> $workers */
    public function sample(array $workers, string $phase = ''): void
    {
        $at = hrtime(true) / 1e9;
        if ($at - $this->at < self::SPAN) {
            return;
        }
        $used = $waits = [];
        foreach ($workers as $worker) {
            $times = explode(' ', (string) @file_get_contents("/proc/{$worker['pid']}/schedstat"));
            if (count($times) >= 2) {
                $used[$worker['pid']] = (float) $times[0] / 1e9;
                $waits[$worker['pid']] = (float) $times[1] / 1e9;
            }
        }
        if ($phase === 'measure' || ($this->since !== [] && !$this->over)) {
            $this->look($at, $waits);
            $this->over = $phase !== 'measure';
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

    /** @param array<int, float> $waits seconds by process id */
    private function look(float $at, array $waits): void
    {
        foreach ($waits as $pid => $seconds) {
            $this->since[$pid] ??= [$at, $seconds];
            [$from, $before] = $this->since[$pid];
            if ($at - $from >= self::SPAN) {
                $this->waited[$pid] = min(1.0, ($seconds - $before) / ($at - $from));
            }
        }
    }

    /** Share of the window that the most hindered worker was ready to run and had no processor. */
    public function waited(): float
    {
        return max([0.0, ...$this->waited]);
    }

    /** Cores that all workers used between the last two looks. */
    public function cores(): float
    {
        return $this->cores;
    }
}
