<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** What the load itself cost, and what it could do at most. */
final readonly class Generator
{
    /**
     * @param list<array{pid: int, user: float, system: float, switches: int, cpu: float, error: string|null}> $workers
     *                                        CPU seconds in the measuring window, `cpu` in cores
     * @param array<string, int|float>|null $calibration the same load against the tool's own server: rate, p50, p99
     * @param float                         $waited      share of the window that a worker was ready to run and had no processor
     */
    public function __construct(public array $workers, public ?array $calibration = null, public float $waited = 0.0) {}

    /** Cores that the busiest worker used in the measuring window. */
    public function busiest(): float
    {
        return $this->workers === [] ? 0.0 : max(array_column($this->workers, 'cpu'));
    }

    /** Cores that all workers used together. */
    public function cpu(): float
    {
        return array_sum(array_column($this->workers, 'cpu'));
    }

    /** The first thing that went wrong in a worker, in its words; null: nothing. */
    public function said(): ?string
    {
        foreach ($this->workers as $worker) {
            if ($worker['error'] !== null) {
                return $worker['error'];
            }
        }

        return null;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return ['workers' => $this->workers, 'cpu' => round($this->cpu(), 4), 'busiest' => round($this->busiest(), 4), 'waited' => $this->waited, 'calibration' => $this->calibration];
    }

    /** @throws BadFile */
    public static function fromFields(Fields $fields): self
    {
        $workers = array_map(static fn (Fields $worker): array => [
            'pid' => $worker->int('pid'),
            'user' => $worker->float('user'),
            'system' => $worker->float('system'),
            'switches' => $worker->int('switches'),
            'cpu' => $worker->float('cpu'),
            'error' => $worker->stringOrNull('error'),
        ], $fields->objects('workers'));

        return new self($workers, $fields->has('calibration') ? $fields->numbers('calibration') : null, $fields->has('waited') ? $fields->float('waited') : 0.0);
    }
}
