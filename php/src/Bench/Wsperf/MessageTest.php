<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Bench\Engines;
use Tusk\Bench\Histogram;
use Tusk\Bench\Mode;

/**
 * `message_test`: echoes on one connection. Differs from wsperf on purpose: with sync=false a sample is the message's own
 * round trip, not the gap between arrivals; count=0 passes at once; a remainder of the samples falls into the last bin;
 * samples are known to three digits.
 */
final class MessageTest extends EngineJob
{
    private const COUNT_MAX = 10_000_000;
    private const SIZE_MAX = 1 << 28;
    private const RTTS_MAX = 1_000_000;
    private const PIPELINE_MAX = 65536;

    private readonly int $size;
    private readonly int $count;
    private readonly float $timeout;
    private readonly bool $binary;
    private readonly bool $sync;
    private readonly bool $exact;
    private readonly int $bins;
    private readonly bool $rtts;

    /** @throws BadCommand naming the argument */
    public function __construct(Command $command, Engines $engines, Targets $targets)
    {
        parent::__construct($command, $engines, $targets);
        $this->size = $command->count('size', self::SIZE_MAX);
        $this->count = $command->count('count', self::COUNT_MAX);
        $this->timeout = $command->count('timeout', (int) self::LONGEST * 1000) / 1000;
        $this->binary = $command->flag('binary');
        $this->sync = $command->flag('sync');
        $this->exact = match ($command->text('correctness')) {
            'exact' => true,
            'length' => false,
            default => throw BadCommand::parameter('correctness'),
        };
        $this->bins = $command->count('quantile_count', 10_000);
        $this->rtts = $command->flag('rtts');
        if ($this->rtts && $this->count > self::RTTS_MAX) {
            throw BadCommand::parameter('rtts');
        }
    }

    public function start(): void
    {
        if ($this->count === 0) {
            return;
        }
        $seconds = $this->timeout > 0 ? $this->timeout : self::LONGEST;
        $this->begin(Mode::WsEcho, [
            'connections' => 1,
            'size' => $this->size,
            'count' => $this->count,
            'pipeline' => $this->sync ? 1 : min($this->count, self::PIPELINE_MAX),
            'binary' => $this->binary,
            'verify' => $this->exact,
            'drain' => 0,
            'duration' => $seconds,
            'timeout' => min($seconds, 3600.0),
        ]);
    }

    public function data(): array
    {
        if ($this->done || ($this->engine !== null && $this->engine->poll(0.0))) {
            return [];
        }
        $this->done = true;

        return [$this->result()];
    }

    /** @return array<string, mixed> */
    private function result(): array
    {
        if ($this->engine === null) {
            return ['result' => 'pass', ...$this->statistics(new Histogram(), 0, 0.0)];
        }
        $counters = $this->engine->counters();
        if (($counters['opened'] ?? 0) === 0) {
            return ['result' => 'connection_failed'];
        }
        $good = $counters['completed'] ?? 0;
        $wrong = ($counters['wrong'] ?? 0) + ($counters['duplicated'] ?? 0) + ($counters['failed_protocol'] ?? 0) + ($counters['failed_closed'] ?? 0)
            + ($counters['failed_reset'] ?? 0) + ($counters['reordered'] ?? 0);
        $window = $this->engine->facts()['window'] ?? 0.0;

        return [
            'result' => match (true) {
                $wrong > 0 => 'fail',
                $good >= $this->count => 'pass',
                default => 'time_out',
            },
            ...$this->statistics($this->engine->histogram('response'), $good, (float) $window),
        ];
    }

    /** @return array<string, mixed> */
    private function statistics(Histogram $samples, int $good, float $seconds): array
    {
        $bins = new Bins($samples);
        $statistics = [
            'min' => $samples->min() / 1e3,
            'max' => $samples->max() / 1e3,
            'median' => $bins->median() / 1e3,
            'avg' => $samples->mean() / 1e3,
            'stddev' => $bins->deviation() / 1e3,
            'total' => $seconds * 1e6,
            'bytes' => $this->size * $good,
            'quantiles' => array_map(static fn (array $bin): array => [$bin[0] / 1e3, $bin[1] / 1e3], $bins->equal($this->bins)),
        ];

        return $this->rtts ? [...$statistics, 'rtts' => array_map(static fn (int $ns): float => $ns / 1e3, $bins->samples())] : $statistics;
    }
}
