<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** What the server's processes used, all threads and children together. */
final readonly class ServerUse
{
    /**
     * @param float      $cpuSeconds           in the measuring window
     * @param float      $cpu                  cores in the measuring window
     * @param int        $rss                  bytes at the end of the window
     * @param int        $rssBefore            bytes before the first connection
     * @param int        $rssPeak              the most that was seen
     * @param float|null $bytesPerConnection   private bytes of user memory that came with each open connection
     * @param float|null $operationsPerSecond  operations for each CPU second
     */
    public function __construct(
        public int $pid,
        public int $processes,
        public int $threads,
        public float $cpuSeconds,
        public float $cpu,
        public int $rss,
        public int $rssBefore,
        public int $rssPeak,
        public ?float $bytesPerConnection,
        public ?float $operationsPerSecond,
    ) {}

    /** @return array<string, int|float|null> */
    public function toArray(): array
    {
        return [
            'pid' => $this->pid,
            'processes' => $this->processes,
            'threads' => $this->threads,
            'cpu_seconds' => round($this->cpuSeconds, 6),
            'cpu' => round($this->cpu, 4),
            'rss' => $this->rss,
            'rss_before' => $this->rssBefore,
            'rss_peak' => $this->rssPeak,
            'user_bytes_per_connection' => $this->bytesPerConnection === null ? null : round($this->bytesPerConnection, 1),
            'operations_per_cpu_second' => $this->operationsPerSecond === null ? null : round($this->operationsPerSecond, 1),
        ];
    }

    /** @throws BadFile */
    public static function fromFields(Fields $fields): self
    {
        return new self(
            $fields->int('pid'),
            $fields->int('processes'),
            $fields->int('threads'),
            $fields->float('cpu_seconds'),
            $fields->float('cpu'),
            $fields->int('rss'),
            $fields->int('rss_before'),
            $fields->int('rss_peak'),
            $fields->floatOrNull('user_bytes_per_connection'),
            $fields->floatOrNull('operations_per_cpu_second'),
        );
    }
}
