<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use Tusk\Bench\Counters;
use Tusk\Bench\Engine;
use Tusk\Bench\Histogram;

/** An engine that replays a run second by second, without a socket or a clock. */
final class Recording implements Engine
{
    public bool $stopped = false;
    /** @var list<float> how long each look was ready to wait */
    public array $polled = [];
    private int $second = 0;
    private bool $started = false;
    private int|float|null $begin = null;
    private ?Histogram $each = null;

    /**
     * @param int                      $length   seconds of the measuring window
     * @param int                      $rate     operations of each second
     * @param int                      $typical  nanoseconds of the median answer, about
     * @param array<string, int>       $counters that replace what is computed
     * @param array<string, list<int>> $more     further histograms by name
     * @param float                    $load     cores that the one worker uses
     * @param string|null              $refusal  what start() throws
     * @param string|null              $error    what the worker says
     * @param list<array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, exchanges: list<array{int, int}>}> $samples
     * @param int|null                 $interrupted second in which the process gets SIGINT
     * @param array<string, float>     $phases   further ones, of another agent, and when they began
     */
    public function __construct(
        private readonly int $length = 6,
        private readonly int $rate = 1000,
        private readonly int $typical = 1_000_000,
        private readonly array $counters = [],
        private readonly array $more = [],
        private readonly float $load = 0.3,
        private readonly ?string $refusal = null,
        private readonly ?string $error = null,
        private readonly array $samples = [],
        private readonly ?int $interrupted = null,
        private readonly array $phases = [],
    ) {}

    /** A skewed shape, the same in every second. */
    private function each(): Histogram
    {
        if ($this->each === null) {
            $this->each = new Histogram();
            for ($i = 0; $i < $this->rate; $i++) {
                $u = ($i + 0.5) / $this->rate;
                $this->each->record((int) ($this->typical * (0.6 + 0.8 * $u + 0.05 / (1.006 - $u))));
            }
        }

        return $this->each;
    }

    public function start(): void
    {
        if ($this->refusal !== null) {
            throw new \RuntimeException($this->refusal);
        }
        $this->started = true;
    }

    public function poll(float $seconds = 0.25): bool
    {
        $this->polled[] = $seconds;
        if (!$this->stopped) {
            $this->second++;
        }
        if ($this->second === $this->interrupted && !$this->stopped) {
            posix_kill(posix_getpid(), SIGINT);
        }

        return !$this->stopped && $this->second <= $this->length;
    }

    public function stop(): void
    {
        $this->stopped = true;
    }

    public function partial(): bool
    {
        return $this->stopped;
    }

    public function phase(): string
    {
        return $this->started && !$this->stopped && $this->second <= $this->length ? 'measure' : 'done';
    }

    public function counters(bool $measured = false): array
    {
        $done = min($this->second, $this->length) * $this->rate;

        return [...array_fill_keys(array_keys(Counters::NAMES), 0), 'started' => 10, 'connected' => 10, 'opened' => 10, 'open' => 10,
            'planned' => $done, 'sent' => $done, 'received' => $done, 'completed' => $done, 'bytes_sent' => $done * 64,
            'bytes_received' => $done * 64, 'in_flight' => 3, ...$this->counters];
    }

    public function histogram(string $name): Histogram
    {
        $histogram = new Histogram();
        if ($name === 'response' || $name === 'service') {
            for ($i = 0; $i < min($this->second, $this->length); $i++) {
                $histogram->merge($this->each());
            }
        }
        foreach ($this->more[$name] ?? [] as $value) {
            $histogram->record($value);
        }

        return $histogram;
    }

    public function intervals(): array
    {
        if ($this->second < 1 || $this->second > $this->length) {
            return [];
        }

        $intervals = [[
            'start' => $this->second - 1.0,
            'length' => 1.0,
            'phase' => 'measure',
            'counters' => ['completed' => $this->rate, 'received' => $this->rate, 'in_flight' => 3, 'open' => 10],
            'response' => $this->each(),
        ]];
        foreach ($this->second === $this->length ? $this->phases : [] as $phase => $start) {
            $intervals[] = ['start' => $start, 'length' => 0.01, 'phase' => $phase, 'counters' => [], 'response' => new Histogram()];
        }

        return $intervals;
    }

    /** CPU seconds follow the clock, as the run's own clock is real. */
    public function workers(): array
    {
        $this->begin ??= hrtime(true);
        $used = (hrtime(true) - $this->begin) / 1e9 * $this->load;

        return [['pid' => 4711, 'phase' => $this->phase(), 'user' => $used / 2, 'system' => $used / 2, 'switches' => 12, 'error' => $this->error]];
    }

    public function facts(): array
    {
        return ['window' => (float) min($this->second, $this->length), 'tls_version' => 'TLSv1.3'];
    }

    public function samples(): iterable
    {
        return $this->samples;
    }
}
