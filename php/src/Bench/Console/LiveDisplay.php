<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\Spark;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Counters;
use Tusk\Bench\Interval;
use Tusk\Bench\Observer;
use Tusk\Bench\Plan;
use Tusk\Bench\Snapshot;
use Tusk\Terminal\Units;

/** A run on a terminal: three lines that are painted over four times a second. */
final class LiveDisplay implements Observer
{
    private const LINES = 3;
    private const SPARKS = 40;

    private ?Plan $plan = null;
    private bool $painted = false;
    private float $duration = 0.0;
    private float $measureSince = -1.0;

    /** @param string|null $default of the option `duration` */
    public function __construct(private readonly OutputInterface $output, private readonly ?string $default = null, private readonly bool $colours = true) {}

    public function begin(Plan $plan): void
    {
        $this->plan = $plan;
        $this->painted = false;
        $this->measureSince = -1.0;
        $given = $plan->options['duration'] ?? $this->default;
        try {
            $this->duration = is_string($given) ? Units::seconds($given) : (float) $given;
        } catch (\ValueError) {
            $this->duration = 0.0;
        }
    }

    public function update(Snapshot $now): void
    {
        if ($this->plan === null || $now->phase === 'done') {
            return;
        }
        if ($now->phase === 'measure' && $this->measureSince < 0) {
            $this->measureSince = $now->elapsed;
        }
        $this->paint([$this->head($now, $this->plan), $this->figures($now, $this->plan), $this->sparks($now, $this->plan)]);
    }

    public function end(): void
    {
        if ($this->painted) {
            $this->output->write("\e[" . self::LINES . "A\e[J", false, OutputInterface::OUTPUT_RAW);
            $this->painted = false;
        }
    }

    /** @param list<string> $lines */
    private function paint(array $lines): void
    {
        $up = $this->painted ? "\e[" . self::LINES . 'A' : '';
        $text = implode('', array_map(static fn (string $line): string => "\r\e[2K$line\n", $lines));
        // Without wrapping a narrow terminal cuts the lines, and they stay as many as are painted over.
        $this->output->write("\e[?7l$up$text\e[?7h", false, OutputInterface::OUTPUT_RAW);
        $this->painted = true;
    }

    private function head(Snapshot $now, Plan $plan): string
    {
        $text = sprintf('%s %s  %s', $this->style('1', $plan->mode->value), $plan->url, $now->phase);
        if ($now->phase !== 'measure' || $this->duration <= 0) {
            return $text . sprintf('  %.0f s', $now->elapsed);
        }
        $done = $now->elapsed - $this->measureSince;

        return $text . sprintf(' %s %.0f of %.0f s', Spark::bar($done / $this->duration, 24), $done, $this->duration);
    }

    private function figures(Snapshot $now, Plan $plan): string
    {
        $last = $now->last();
        $errors = Counters::errors($now->counters);
        if ($now->phase === 'connect') {
            return sprintf('  %s connections open   %s', number_format($now->counters['open'] ?? 0), $this->style($errors > 0 ? '31' : '', 'errors ' . number_format($errors)));
        }

        return sprintf(
            '  %s   in flight %s   p50 %s   p99 %s   %s',
            $plan->mode->rate($last?->rate($plan->mode) ?? 0.0),
            number_format($now->counters['in_flight'] ?? 0),
            $last?->p50 === null ? '-' : Units::duration($last->p50),
            $last?->p99 === null ? '-' : Units::duration($last->p99),
            $this->style($errors > 0 ? '31' : '', 'errors ' . number_format($errors)),
        );
    }

    private function style(string $code, string $text): string
    {
        return $code === '' || !$this->colours ? $text : "\e[{$code}m$text\e[0m";
    }

    private function sparks(Snapshot $now, Plan $plan): string
    {
        $rates = array_map(static fn (Interval $interval): float => $interval->rate($plan->mode), $now->intervals);
        $tails = array_map(static fn (Interval $interval): float => (float) $interval->p99, $now->intervals);

        return sprintf('  rate %s  p99 %s', Spark::line($rates, self::SPARKS), Spark::line($tails, self::SPARKS));
    }
}
