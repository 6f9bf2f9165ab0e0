<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Watches a server's processes during a run. */
final class ServerSampler
{
    /** Seconds: the kernel counts in ticks of ten milliseconds, so that a shorter span tells nothing. */
    private const SPAN = 0.5;

    private readonly ProcessTree $before;
    private readonly float $beforeAt;
    private ProcessTree $last;
    private float $lastAt;
    private ?ProcessTree $windowStart = null;
    private float $windowStartAt = 0.0;
    private ?ProcessTree $windowEnd = null;
    private float $windowEndAt = 0.0;
    private int $lastDone = 0;
    private int $windowStartDone = 0;
    private int $windowEndDone = 0;
    private int $openAtEnd = 0;
    private int $rssPeak;
    private float $cores = 0.0;
    private ProcessTree $coresFrom;
    private float $coresAt;

    /** @throws \ValueError when there is no such process */
    public function __construct(private readonly int $pid)
    {
        $this->before = ProcessTree::look($pid)
            ?? throw new \ValueError("--pid $pid: there is no such process, or no /proc to see it in");
        $this->last = $this->coresFrom = $this->before;
        $this->beforeAt = $this->lastAt = $this->coresAt = hrtime(true) / 1e9;
        $this->rssPeak = $this->before->rss;
    }

    /**
     * @param int $open connections that are open now
     * @param int $done operations since the start, so that those between two looks stand beside the CPU between the same two
     */
    public function sample(string $phase, int $open, int $done): void
    {
        $now = ProcessTree::look($this->pid);
        if ($now === null) {
            return;     // it ended: the last look stays
        }
        $at = hrtime(true) / 1e9;
        [$this->last, $this->lastAt, $this->lastDone] = [$now, $at, $done];
        $this->rssPeak = max($this->rssPeak, $now->rss);
        if ($phase === 'measure') {
            if ($this->windowStart === null) {
                [$this->windowStart, $this->windowStartAt, $this->windowStartDone] = [$now, $at, $done];
            }
            $this->openAtEnd = max($open, $this->openAtEnd);
            [$this->windowEnd, $this->windowEndAt, $this->windowEndDone] = [$now, $at, $done];
        }
    }

    /** Cores in use since this was asked last; over less than half a second the last answer stays. */
    public function cores(): float
    {
        if ($this->lastAt - $this->coresAt >= self::SPAN) {
            $this->cores = $this->last->since($this->coresFrom) / ($this->lastAt - $this->coresAt);
            [$this->coresFrom, $this->coresAt] = [$this->last, $this->lastAt];
        }

        return $this->cores;
    }

    /** Bytes of all its processes, at the last look. */
    public function rss(): int
    {
        return $this->last->rss;
    }

    public function use(): ServerUse
    {
        [$start, $startAt, $end, $endAt, $done] = $this->windowStart !== null && $this->windowEnd !== null && $this->windowEndAt > $this->windowStartAt
            ? [$this->windowStart, $this->windowStartAt, $this->windowEnd, $this->windowEndAt, $this->windowEndDone - $this->windowStartDone]
            : [$this->before, $this->beforeAt, $this->last, $this->lastAt, $this->lastDone];    // a window too short for two looks
        $seconds = $end->since($start);
        $cores = $endAt > $startAt ? $seconds / ($endAt - $startAt) : 0.0;

        return new ServerUse(
            $this->pid,
            count($end->cpu),
            $end->threads,
            $seconds,
            $cores,
            $end->rss,
            $this->before->rss,
            $this->rssPeak,
            $this->openAtEnd > 0 ? max(0.0, ($end->private - $this->before->private) / $this->openAtEnd) : null,
            $seconds > 0 ? $done / $seconds : null,
        );
    }
}
