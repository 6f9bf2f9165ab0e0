<?php

declare(strict_types=1);

namespace Tusk\Bench;

use Tusk\Terminal\Units;

/** Runs a plan on an engine and collects its result. */
final class Run
{
    private const POLL = 0.25;
    /** Seconds, and share of it at most: so long before the end of the window is a look at the server, as afterwards it closes connections. */
    private const LEAD = 0.02;
    private const LEAD_SHARE = 0.1;
    private const INTERVALS_SHOWN = 60;
    /** Where phases and workers meet there are scraps of intervals, which say nothing about a rate. */
    private const SHOWN_LENGTH = 0.25;

    /** @var list<Interval> */
    private array $intervals = [];
    private readonly WorkerCpu $cpu;
    /** Of hrtime, in seconds; null when the window has not begun, or nobody knows when it ends. */
    private ?float $lastLook = null;
    /** Seconds of the measuring window, as planned. */
    private float $length = 0.0;

    public function __construct(
        private readonly Plan $plan,
        private readonly Engine $engine,
        private readonly Observer $observer,
        private readonly ?ServerSampler $server = null,
        private readonly string $version = \Tusk\Package::VERSION,
    ) {
        $this->cpu = new WorkerCpu();
    }

    /**
     * @param array<string, string|int|float|bool> $defaults    of the engine's options, for the record
     * @param array<string, int|float>|null        $calibration see Calibration
     *
     * @throws \RuntimeException when the run cannot be started: one sentence
     */
    public function measure(array $defaults = [], ?array $calibration = null): Result
    {
        $started = floor(microtime(true) * 1000) / 1000; // a date
        $this->length = Units::seconds((string) ($this->plan->options['duration'] ?? $defaults['duration'] ?? '0'));
        $this->observer->begin($this->plan);
        try {
            $this->engine->start();
            $begin = hrtime(true);
            do {
                $alive = $this->engine->poll($this->patience());
                $this->look((hrtime(true) - $begin) / 1e9);
            } while ($alive);
        } finally {
            $this->observer->end();
        }

        return $this->result($started, $defaults, $calibration);
    }

    /** Until the next look is due at the latest. */
    private function patience(): float
    {
        $left = ($this->lastLook ?? INF) - hrtime(true) / 1e9;

        return $left > 0 ? max(0.001, min(self::POLL, $left)) : self::POLL;
    }

    private function look(float $elapsed): void
    {
        $phase = $this->engine->phase();
        if ($phase === 'measure' && $this->lastLook === null) {
            $this->lastLook = hrtime(true) / 1e9 + $this->length - min(self::LEAD, $this->length * self::LEAD_SHARE);
        }
        $counters = $this->engine->counters();
        $this->server?->sample($phase, $counters['open'] ?? 0, $this->plan->mode->done($counters));
        $intervals = $this->engine->intervals();
        if ($intervals !== [] || $this->intervals === []) {
            $this->cpu->sample($this->engine->workers(), $phase);
            $serverCores = $this->server?->cores();
        }
        foreach ($intervals as $interval) {
            $this->intervals[] = Interval::ofEngine($interval, $this->cpu->cores(), $serverCores ?? null, $this->server?->rss());
        }
        $shown = array_filter(array_slice($this->intervals, -self::INTERVALS_SHOWN), static fn (Interval $interval): bool => $interval->length >= self::SHOWN_LENGTH);
        $this->observer->update(new Snapshot($elapsed, $phase, $counters, array_values($shown)));
    }

    /**
     * From the first that entered a phase to the last that left it, of all workers and agents. The intervals tell it, as none of
     * them lies in two phases; whoever asks for the phase now and then misses the short ones.
     *
     * @return list<array{name: string, start: float, length: float}>
     */
    private function phases(): array
    {
        $spans = [];
        foreach ($this->intervals as $interval) {
            $end = $interval->start + $interval->length;
            [$from, $to] = $spans[$interval->phase] ?? [$interval->start, $end];
            $spans[$interval->phase] = [min($from, $interval->start), max($to, $end)];
        }
        // not by their begin: an agent that has nothing to wait for closes before another one drains
        uksort($spans, static fn (string $a, string $b): int => array_search($a, Interval::PHASES, true) <=> array_search($b, Interval::PHASES, true));
        $phases = [];
        foreach ($spans as $name => [$from, $to]) {
            $phases[] = ['name' => $name, 'start' => round($from, 3), 'length' => round($to - $from, 3)];
        }

        return $phases;
    }

    /**
     * @param array<string, string|int|float|bool> $defaults
     * @param array<string, int|float>|null        $calibration
     */
    private function result(float $started, array $defaults, ?array $calibration): Result
    {
        $latency = [];
        foreach (Metric::HISTOGRAMS as $name) {
            $histogram = $this->engine->histogram($name);
            if ($histogram->count() > 0) {
                $latency[$name] = new Latency($histogram);
            }
        }
        $facts = $this->engine->facts();
        $counters = $this->engine->counters(true);
        $seconds = $this->window($facts);

        return new Result(
            $this->version,
            $started,
            $this->plan->arguments,
            $this->plan->scenario,
            $this->plan->mode,
            $this->plan->url,
            [...$defaults, ...$this->plan->options],
            $this->engine->partial(),
            $seconds,
            $counters,
            $this->engine->counters(),
            $latency,
            $this->phases(),
            $this->intervals,
            $this->generator($seconds, $calibration),
            $this->server?->use(),
            Machine::facts(),
            $facts,
        );
    }

    /** @param array<string, int|float>|null $calibration */
    private function generator(float $seconds, ?array $calibration): Generator
    {
        $workers = array_map(fn (array $worker): array => [
            'pid' => $worker['pid'],
            'user' => round($worker['user'], 6),
            'system' => round($worker['system'], 6),
            'switches' => $worker['switches'],
            'cpu' => $seconds > 0 ? round(($worker['user'] + $worker['system']) / $seconds, 4) : 0.0,
            'error' => $worker['error'],
        ], $this->engine->workers());

        return new Generator($workers, $calibration, round($this->cpu->waited(), 4));
    }

    /** @param array<string, int|float|string> $facts */
    private function window(array $facts): float
    {
        $told = $facts['window'] ?? null;
        if (is_int($told) || is_float($told)) {
            return (float) $told;
        }
        $measured = array_filter($this->intervals, static fn (Interval $interval): bool => $interval->phase === 'measure');

        return array_sum(array_map(static fn (Interval $interval): float => $interval->length, $measured));
    }
}
