<?php

declare(strict_types=1);

namespace Tusk\Bench;

use Tusk\Terminal\Units;

/** What one run found, with all that is needed to compare it later. Its JSON is docs/reference/bench-result.schema.json. */
final readonly class Result
{
    public const SCHEMA = 1;

    public Validity $validity;

    /**
     * @param string                                      $version    of the tool
     * @param float                                       $started    seconds since the epoch
     * @param list<string>                                $arguments  as they were typed
     * @param array<string, int|float|string|bool|null>   $options    every option with the value that counted
     * @param float                                       $seconds    length of the measuring window
     * @param array<string, int>                          $counters   operations of the measuring window
     * @param array<string, int>                          $totals     of the whole run
     * @param array<string, Latency>                      $latency    by the engine's names, those with samples
     * @param list<array{name: string, start: float, length: float}> $phases windows of the run, in order
     * @param list<Interval>                              $intervals
     * @param array<string, int|float|string|bool|null>   $machine    see Machine
     * @param array<string, int|float|string>             $facts      as the engine tells them
     * @param list<Outcome>                               $thresholds
     */
    public function __construct(
        public string $version,
        public float $started,
        public array $arguments,
        public ?string $scenario,
        public Mode $mode,
        public string $url,
        public array $options,
        public bool $partial,
        public float $seconds,
        public array $counters,
        public array $totals,
        public array $latency,
        public array $phases,
        public array $intervals,
        public Generator $generator,
        public ?ServerUse $server,
        public array $machine,
        public array $facts,
        public array $thresholds = [],
        ?Validity $validity = null,
    ) {
        $this->validity = $validity ?? Validity::judge($this);
    }

    /** Open when a schedule says what begins when, closed when the next begins after the answer. */
    public function model(): string
    {
        return $this->targetRate() === null ? 'closed' : 'open';
    }

    public function targetRate(): ?float
    {
        $rate = $this->options['rate'] ?? null;
        try {
            $number = is_string($rate) ? Units::number($rate) : (float) $rate;
        } catch (\ValueError) {
            return null;
        }

        return $number > 0 ? $number : null;
    }

    /** Operations per second of the measuring window. */
    public function rate(): float
    {
        return $this->seconds > 0 ? $this->mode->done($this->counters) / $this->seconds : 0.0;
    }

    /** A counter per second of the measuring window. */
    public function per(string $counter): float
    {
        return $this->seconds > 0 ? ($this->counters[$counter] ?? 0) / $this->seconds : 0.0;
    }

    public function headline(): Latency
    {
        return $this->latency[$this->storm() === null ? $this->mode->headline() : 'reconnect'] ?? $this->latency['response'] ?? new Latency(new Histogram());
    }

    /**
     * Of a storm of reconnects: connections that came back, and all of them.
     *
     * @return array{int, int}|null null: it was none
     */
    public function storm(): ?array
    {
        if (!in_array($this->options['reconnect-storm'] ?? false, [true, 1, '1', 'yes', 'true', 'on'], true)) {
            return null;
        }
        $all = $this->options['connections'] ?? 0;

        return [($this->latency['reconnect'] ?? null)?->count() ?? 0, (int) (is_string($all) ? Units::number($all) : $all)];
    }

    /** Share of the deliveries that came of those that were due; null where none were counted. */
    public function reach(): ?float
    {
        $expected = $this->counters['expected'] ?? 0;

        return $expected > 0 ? ($this->counters['received'] ?? 0) / $expected : null;
    }

    public function errors(): int
    {
        return Counters::errors($this->totals);
    }

    /** Operations of the whole run that had no answer when it ended. */
    public function unfinished(): int
    {
        return $this->totals['unfinished'] ?? 0;
    }

    /** Those of them that began before the measuring window, so that its counters do not hold them. */
    public function unfinishedBefore(): int
    {
        return max(0, $this->unfinished() - ($this->counters['unfinished'] ?? 0));
    }

    /** Whether the measuring window holds nothing of what the run was for: then no figure of it is one. */
    public function nothing(): bool
    {
        return match (true) {
            $this->storm() !== null => $this->storm()[0] === 0,
            $this->mode === Mode::TcpHold => $this->mode->done($this->totals) === 0, // opened before the window, and held in it
            default => $this->mode->done($this->counters) === 0,
        };
    }

    /** In words, each kind with its number and what the generator said of it: "12 refused (Connection refused)"; "none". */
    public function whatFailed(): string
    {
        $kinds = [];
        foreach (Counters::named($this->totals) as $what => $n) {
            $kinds[] = number_format($n) . " $what";
        }
        if ($this->unfinished() > 0) {
            $kinds[] = number_format($this->unfinished()) . ' ' . Counters::NAMES['unfinished'];
        }
        $said = $this->generator->said() ?? $this->guess();

        return $kinds === [] ? $said ?? 'none' : implode(', ', $kinds) . ($said === null ? '' : " ($said)");
    }

    /** What a usual mistake looks like to counters. */
    private function guess(): ?string
    {
        return $this->mode === Mode::WsEcho && ($this->totals['duplicated'] ?? 0) > 0 ? 'does the server send to everybody what one says? fanout measures such a one' : null;
    }

    public function little(): Little
    {
        $service = $this->latency['service'] ?? $this->latency['response'] ?? null;
        $seconds = max($this->seconds, 1e-9);

        return new Little(
            ($this->counters['in_flight_sum_ns'] ?? 0) / ($seconds * 1e9),
            $service === null ? 0.0 : $service->count() / $seconds * $service->mean / 1e9,
        );
    }

    /** @return list<Interval> those of the measuring window */
    public function measured(): array
    {
        return array_values(array_filter($this->intervals, static fn (Interval $interval): bool => $interval->phase === 'measure'));
    }

    /** @param list<Outcome> $thresholds */
    public function with(array $thresholds): self
    {
        return new self(
            $this->version,
            $this->started,
            $this->arguments,
            $this->scenario,
            $this->mode,
            $this->url,
            $this->options,
            $this->partial,
            $this->seconds,
            $this->counters,
            $this->totals,
            $this->latency,
            $this->phases,
            $this->intervals,
            $this->generator,
            $this->server,
            $this->machine,
            $this->facts,
            $thresholds,
            $this->validity,
        );
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $reach = $this->reach();

        return [
            'schema' => self::SCHEMA,
            'tool' => 'tusk bench',
            'version' => $this->version,
            'started' => gmdate('Y-m-d\TH:i:s', (int) $this->started) . sprintf('.%03dZ', (int) round(fmod($this->started, 1) * 1000)),
            'arguments' => $this->arguments,
            'scenario' => $this->scenario,
            'mode' => $this->mode->value,
            'url' => $this->url,
            'model' => $this->model(),
            'options' => (object) $this->options,
            'validity' => $this->validity->toArray(),
            'partial' => $this->partial,
            'window' => ['seconds' => round($this->seconds, 6)],
            'counters' => (object) $this->counters,
            'totals' => (object) $this->totals,
            'unfinished' => ['before' => $this->unfinishedBefore(), 'window' => $this->unfinished() - $this->unfinishedBefore()],
            'rates' => [
                'operations' => round($this->rate(), 3),
                'target' => $this->targetRate(),
                'sent' => round($this->per('sent'), 3),
                'received' => round($this->per('received'), 3),
                'opened' => round($this->per('opened'), 3),
                'bytes_sent' => round($this->per('bytes_sent'), 1),
                'bytes_received' => round($this->per('bytes_received'), 1),
                'reach' => $reach === null ? null : round($reach, 6),
            ],
            'latency' => (object) array_map(static fn (Latency $latency): array => $latency->toArray(), $this->latency),
            'phases' => $this->phases,
            'intervals' => array_map(static fn (Interval $interval): array => $interval->toArray(), $this->intervals),
            'generator' => $this->generator->toArray(),
            'server' => $this->server?->toArray(),
            'machine' => $this->machine,
            'facts' => (object) $this->facts,
            'little' => $this->little()->toArray(),
            'thresholds' => array_map(static fn (Outcome $outcome): array => $outcome->toArray(), $this->thresholds),
        ];
    }

    public function toJson(): string
    {
        return json_encode($this->toArray(), JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
            | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION) . "\n";
    }

    /** @throws BadFile naming the field */
    public static function fromJson(string $json): self
    {
        $fields = Fields::ofJson($json);
        if (!$fields->has('schema') || $fields->int('schema') !== self::SCHEMA) {
            throw new BadFile('not a result of tusk bench with "schema": ' . self::SCHEMA);
        }
        $latency = [];
        foreach ($fields->object('latency')->names() as $name) {
            $latency[$name] = Latency::fromFields($fields->object('latency')->object($name));
        }

        return new self(
            $fields->string('version'),
            (float) (new \DateTimeImmutable($fields->string('started')))->format('U.u'),
            $fields->strings('arguments'),
            $fields->stringOrNull('scenario'),
            Mode::tryFrom($fields->string('mode')) ?? throw new BadFile('mode: there is no mode "' . $fields->string('mode') . '"'),
            $fields->string('url'),
            $fields->scalars('options'),
            $fields->bool('partial'),
            $fields->object('window')->float('seconds'),
            $fields->ints('counters'),
            $fields->ints('totals'),
            $latency,
            array_map(static fn (Fields $phase): array => [
                'name' => $phase->string('name'), 'start' => $phase->float('start'), 'length' => $phase->float('length'),
            ], $fields->objects('phases')),
            array_map(Interval::fromFields(...), $fields->objects('intervals')),
            Generator::fromFields($fields->object('generator')),
            $fields->has('server') ? ServerUse::fromFields($fields->object('server')) : null,
            $fields->scalars('machine'),
            array_map(static fn (int|float|string|bool|null $value): int|float|string => is_int($value) || is_float($value) ? $value : (string) $value, $fields->scalars('facts')),
            array_map(Outcome::fromFields(...), $fields->objects('thresholds')),
            Validity::fromFields($fields->object('validity')),
        );
    }
}
