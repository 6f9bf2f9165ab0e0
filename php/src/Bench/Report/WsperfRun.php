<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Bench\Generator;
use Tusk\Bench\Histogram;
use Tusk\Bench\Latency;
use Tusk\Bench\Mode;
use Tusk\Bench\Result;

/** A run of the handshake tool wsperf: what its result file holds. All times are microseconds. */
final readonly class WsperfRun
{
    public const PHASES = ['tcp_pre_init', 'tcp_post_init', 'open', 'close'];

    /**
     * @param int                                    $duration monotonic, first launch to last result
     * @param int                                    $started  since the epoch
     * @param int                                    $ended    since the epoch
     * @param int                                    $throttled times the high mark stopped launching
     * @param int                                    $resumed   times launching (re)started
     * @param list<array{int, int, int, int, bool}>  $connections phases in the order of PHASES, and whether it failed
     */
    public function __construct(
        public int $duration,
        public int $started,
        public int $ended,
        public int $throttled,
        public int $resumed,
        public array $connections,
    ) {}

    /**
     * Our result in that form. Phases come from the samples of single connections where the result has them, else from
     * the histograms: then each phase is distributed as measured, but the four of one element are of different connections.
     *
     * @param iterable<array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, ...}> $samples nanoseconds
     */
    public static function ofResult(Result $result, iterable $samples = []): self
    {
        $connections = [];
        [$first, $last] = [PHP_INT_MAX, 0];
        foreach ($samples as $sample) {
            $close = $sample['failed'] ? 0 : $sample['close'];
            $connections[] = [intdiv($sample['tcp'], 1000), intdiv($sample['tls'], 1000), intdiv($sample['upgrade'], 1000), intdiv($close, 1000), $sample['failed']];
            $first = min($first, $sample['start']);
            $last = max($last, $sample['start'] + $sample['tcp'] + $sample['tls'] + $sample['upgrade'] + $close);
        }
        if ($connections === []) {
            [$first, $last] = [0, (int) round(1e9 * array_sum(array_column($result->phases, 'length')))];
        }
        $started = (int) round($result->started * 1e6) + intdiv($first, 1000);
        $duration = intdiv($last - $first, 1000);
        $throttled = $result->totals['throttled'] ?? 0;

        return new self($duration, $started, $started + $duration, $throttled, $throttled + 1, $connections === [] ? self::marginals($result) : $connections);
    }

    /** @return list<array{int, int, int, int, bool}> */
    private static function marginals(Result $result): array
    {
        $columns = array_map(
            static fn (string $name): array => self::spread($result->latency[$name] ?? null),
            ['tcp', 'tls', 'upgrade', 'close_end'],
        );
        $n = count($columns[2]);
        $connections = [];
        for ($i = 0; $i < $n; $i++) {
            $connections[] = [$columns[0][$i] ?? 0, $columns[1][$i] ?? 0, $columns[2][$i], $columns[3][$i] ?? 0, false];
        }
        $failed = 0;
        foreach ($result->totals as $name => $count) {
            $failed += str_starts_with($name, 'failed_') ? $count : 0;
        }

        return [...$connections, ...array_fill(0, $failed, [0, 0, 0, 0, true])];
    }

    /** @return list<int> */
    private static function spread(?Latency $latency): array
    {
        $values = [];
        foreach ($latency?->histogram->slots() ?? [] as [$value, $count]) {
            array_push($values, ...array_fill(0, $count, intdiv(min($value, $latency->max ?? $value), 1000)));
        }

        return $values;
    }

    /** Their file as a result of ours, for every kind of report: what it does not hold stays empty. */
    public function toResult(): Result
    {
        $histograms = array_map(static fn (): Histogram => new Histogram(), array_flip(['response', 'service', 'tcp', 'tls', 'upgrade', 'close_end']));
        foreach ($this->connections as [$tcp, $tls, $upgrade, $close, $failed]) {
            if (!$failed) {
                $histograms['response']->record(1000 * ($tcp + $tls + $upgrade));
                foreach (['tcp' => $tcp, 'tls' => $tls, 'upgrade' => $upgrade, 'close_end' => $close] as $name => $microseconds) {
                    $histograms[$name]->record(1000 * max(0, $microseconds));
                }
            }
        }
        if ($histograms['tls']->max() === 0) {
            unset($histograms['tls']);      // without TLS their file has zeros
        }
        $n = count($this->connections);
        $counters = ['started' => $n, 'opened' => $n - $this->failed(), 'completed' => $n - $this->failed(), 'failed_other' => $this->failed(), 'throttled' => $this->throttled];
        $seconds = max(0.0, ($this->ended - $this->started) / 1e6);

        return new Result(
            'wsperf',
            floor($this->started / 1000) / 1000,
            [],
            null,
            Mode::WsHandshake,
            '',
            [],
            false,
            $seconds,
            $counters,
            $counters,
            array_map(static fn (Histogram $histogram): Latency => new Latency($histogram), array_filter($histograms, static fn (Histogram $histogram): bool => $histogram->count() > 0)),
            [['name' => 'measure', 'start' => 0.0, 'length' => $seconds]],
            [],
            new Generator([]),
            null,
            [],
            [],
        );
    }

    /** Several files as one: all samples, sums of counts, first start and last end. */
    public static function join(self ...$runs): self
    {
        if ($runs === []) {
            return new self(0, 0, 0, 0, 0, []);
        }
        $column = static fn (string $name): array => array_map(static fn (self $run): int => match ($name) {
            'duration' => $run->duration,
            'started' => $run->started,
            'ended' => $run->ended,
            'throttled' => $run->throttled,
            default => $run->resumed,
        }, array_values($runs));

        return new self(
            max([0, ...$column('duration')]),
            min($column('started')),
            max($column('ended')),
            array_sum($column('throttled')),
            array_sum($column('resumed')),
            array_merge(...array_map(static fn (self $run): array => $run->connections, array_values($runs))),
        );
    }

    public function failed(): int
    {
        return count(array_filter($this->connections, static fn (array $connection): bool => $connection[4]));
    }
}
