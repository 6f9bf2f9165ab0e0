<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** One second of a run. The histogram is kept packed, as a long run has many. */
final readonly class Interval
{
    /** In their order, as the engine has them. */
    public const PHASES = ['connect', 'ramp', 'warmup', 'measure', 'drain', 'close', 'done'];

    /**
     * @param float              $start        seconds since the run began
     * @param float              $length       seconds
     * @param array<string, int> $counters     what happened in it; gauges as they were at its end
     * @param int|null           $p50          nanoseconds; percentiles are null without any sample
     * @param string             $hdr          the headline histogram, packed
     * @param float|null         $generatorCpu cores in use by all workers; null when not known
     * @param float|null         $serverCpu    cores in use by the server
     * @param int|null           $serverRss    bytes
     */
    public function __construct(
        public float $start,
        public float $length,
        public string $phase,
        public array $counters,
        public int $count,
        public ?int $p50,
        public ?int $p90,
        public ?int $p99,
        public int $max,
        public string $hdr,
        public ?float $generatorCpu = null,
        public ?float $serverCpu = null,
        public ?int $serverRss = null,
    ) {}

    /** @param array{start: float, length: float, phase: string, counters: array<string, int>, response: Histogram} $given as the engine gives it */
    public static function ofEngine(array $given, ?float $generatorCpu, ?float $serverCpu, ?int $serverRss): self
    {
        $histogram = $given['response'];
        $any = $histogram->count() > 0;

        return new self(
            $given['start'],
            $given['length'],
            $given['phase'],
            $given['counters'],
            $histogram->count(),
            $any ? $histogram->percentile(50) : null,
            $any ? $histogram->percentile(90) : null,
            $any ? $histogram->percentile(99) : null,
            $histogram->max(),
            Hdr::pack($histogram),
            $generatorCpu,
            $serverCpu,
            $serverRss,
        );
    }

    public function histogram(): Histogram
    {
        return Hdr::unpack($this->hdr);
    }

    /** Per second. */
    public function rate(Mode $mode): float
    {
        return $this->length > 0 ? $mode->done($this->counters) / $this->length : 0.0;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'start' => round($this->start, 6),
            'length' => round($this->length, 6),
            'phase' => $this->phase,
            'counters' => (object) $this->counters,
            'count' => $this->count,
            'p50' => $this->p50,
            'p90' => $this->p90,
            'p99' => $this->p99,
            'max' => $this->max,
            'hdr' => $this->hdr,
            'generator_cpu' => $this->generatorCpu === null ? null : round($this->generatorCpu, 4),
            'server_cpu' => $this->serverCpu === null ? null : round($this->serverCpu, 4),
            'server_rss' => $this->serverRss,
        ];
    }

    /** @throws BadFile */
    public static function fromFields(Fields $fields): self
    {
        $whole = static fn (string $name): ?int => $fields->has($name) ? $fields->int($name) : null;

        return new self(
            $fields->float('start'),
            $fields->float('length'),
            $fields->string('phase'),
            $fields->ints('counters'),
            $fields->int('count'),
            $whole('p50'),
            $whole('p90'),
            $whole('p99'),
            $fields->int('max'),
            $fields->string('hdr'),
            $fields->floatOrNull('generator_cpu'),
            $fields->floatOrNull('server_cpu'),
            $whole('server_rss'),
        );
    }
}
