<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Runs a plan on an engine and collects its result. */
final class Run
{
    private const POLL = 0.25;
    private const INTERVALS_SHOWN = 60;
    /** Where phases and workers meet there are scraps of intervals, which say nothing about a rate. */
    private const SHOWN_LENGTH = 0.25;

    /** @var list<Interval> */
    private array $intervals = [];
    /** @var list<array{string, float}> phases and when they were seen first */
    private array $entered = [];
    private float $ended = 0.0;
    private readonly WorkerCpu $cpu;

    public function __construct(
        private readonly Plan $plan,
        private readonly Engine $engine,
        private readonly Observer $observer,
        private readonly ?ServerSampler $server = null,
        private readonly string $version = \Tusk\Console\Application::VERSION,
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
        $started = floor(microtime(true) * 1000) / 1000;
        $this->observer->begin($this->plan);
        try {
            $this->engine->start();
            $begin = hrtime(true);
            do {
                $alive = $this->engine->poll(self::POLL);
                $this->look((hrtime(true) - $begin) / 1e9);
            } while ($alive);
        } finally {
            $this->observer->end();
        }

        return $this->result($started, $defaults, $calibration);
    }

    private function look(float $elapsed): void
    {
        $phase = $this->engine->phase();
        $this->enter($phase, $elapsed);
        $counters = $this->engine->counters();
        $this->server?->sample($phase, $counters['open'] ?? 0);
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

    private function enter(string $phase, float $at): void
    {
        $this->ended = $at;
        $last = array_key_last($this->entered);
        if ($phase !== 'done' && ($last === null || $this->entered[$last][0] !== $phase)) {
            $this->entered[] = [$phase, $last === null ? 0.0 : $at];
        }
    }

    /** @return list<array{name: string, start: float, length: float}> */
    private function phases(): array
    {
        $phases = [];
        foreach ($this->entered as $i => [$name, $start]) {
            $end = $this->entered[$i + 1][1] ?? $this->ended;
            $phases[] = ['name' => $name, 'start' => round($start, 3), 'length' => round($end - $start, 3)];
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
        $rate = $seconds > 0 ? $this->plan->mode->done($counters) / $seconds : 0.0;

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
            $this->server?->use($rate),
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
