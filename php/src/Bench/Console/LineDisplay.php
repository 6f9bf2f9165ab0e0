<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Counters;
use Tusk\Bench\Observer;
use Tusk\Bench\Plan;
use Tusk\Bench\Snapshot;
use Tusk\Terminal\Units;

/** A run where there is no terminal: a line every ten seconds. */
final class LineDisplay implements Observer
{
    private const EVERY = 10.0;

    private ?Plan $plan = null;
    private float $next = self::EVERY;

    public function __construct(private readonly OutputInterface $output) {}

    public function begin(Plan $plan): void
    {
        $this->plan = $plan;
        $this->next = self::EVERY;
    }

    public function update(Snapshot $now): void
    {
        $last = $now->last();
        if ($this->plan === null || $now->elapsed < $this->next) {
            return;
        }
        $this->next += self::EVERY * max(1.0, ceil(($now->elapsed - $this->next) / self::EVERY));
        if ($now->phase === 'connect') {
            $this->output->writeln(sprintf(
                '%5.0f s  connect   %s connections open  errors %s',
                $now->elapsed,
                number_format($now->counters['open'] ?? 0),
                number_format(Counters::errors($now->counters)),
            ), OutputInterface::OUTPUT_RAW);

            return;
        }
        $this->output->writeln(sprintf(
            '%5.0f s  %-8s  %s  in flight %s  p50 %s  p99 %s  errors %s',
            $now->elapsed,
            $now->phase,
            $this->plan->mode->rate($last?->rate($this->plan->mode) ?? 0.0),
            number_format($now->counters['in_flight'] ?? 0),
            $last?->p50 === null ? '-' : Units::duration($last->p50),
            $last?->p99 === null ? '-' : Units::duration($last->p99),
            number_format(Counters::errors($now->counters)),
        ), OutputInterface::OUTPUT_RAW);
    }

    public function end(): void {}
}
