<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Bench\BadFile;
use Tusk\Bench\Engine;
use Tusk\Bench\Fields;
use Tusk\Bench\Hdr;
use Tusk\Bench\Histogram;
use Tusk\Bench\Interval;
use Tusk\Bench\Mode;

/**
 * One plan on several agents, as one engine: shares, a common start, histograms merged whole. An agent that is lost makes
 * the run partial and leaves its last figures behind.
 */
final class AgentsEngine implements Engine
{
    private const CLOCK_SAMPLES = 5;
    private const CLOCK_PATIENCE = 2.0;
    /** Seconds between the last command and the common start. */
    private const LEAD = 0.5;
    /** Seconds of silence after the common start; an agent that runs tells its state all the time. */
    private const SILENCE = 15.0;

    /** @var array<int, AgentRun> */
    private array $runs = [];
    /** @var array<int, array{start: float, length: float, phase: string, counters: array<string, int>, response: Histogram, told: int}> by place in the run */
    private array $intervals = [];
    private bool $stopped = false;

    /**
     * @param non-empty-list<Link>                                                            $links
     * @param array<string, string|int|float|bool>                                            $options of the whole
     * @param array<string, array{type: string, default: string, unit: string, help: string}> $known
     *
     * @param float $silence seconds after which an agent that says nothing is lost
     *
     * @throws \ValueError when the plan cannot be cut
     */
    public function __construct(
        private readonly array $links,
        private readonly Mode $mode,
        private readonly string $url,
        array $options,
        array $known,
        private readonly float $silence = self::SILENCE,
    ) {
        foreach ($links as $i => $link) {
            $this->runs[$i] = new AgentRun($link, 'bench-' . bin2hex(random_bytes(6)), Share::of($options, $known, count($links), $i));
        }
    }

    public function start(): void
    {
        $offsets = array_map(fn (AgentRun $run): int => $this->offset($run), $this->runs);
        $at = (int) ((hrtime(true) / 1e9 + self::LEAD) * 1e6);
        foreach ($this->runs as $i => $run) {
            $run->heard = $at / 1e6;
            $run->link->send(Command::write('bench_test', [
                ...$run->options, 'mode' => $this->mode->value, 'uri' => $this->url, 'token' => $run->token, 'at' => $at + $offsets[$i],
            ]));
        }
    }

    public function poll(float $seconds = 0.25): bool
    {
        $until = hrtime(true) / 1e9 + $seconds;
        do {
            $alive = false;
            foreach ($this->runs as $run) {
                while ($run->running() && ($text = $run->link->take($this->patience($until))) !== null) {
                    $this->take($run, $text);
                }
                if ($run->running() && !$run->link->isOpen()) {
                    $run->lost = true;
                } elseif ($run->running() && hrtime(true) / 1e9 - $run->heard > $this->silence) {
                    $run->fail("the agent {$run->link->name()} said nothing for {$this->silence} s: it is busy with other tests, or stuck");
                    $run->link->send(Command::write('test_cancel', ['token' => $run->token]));     // it may be queued there
                }
                $alive = $alive || $run->running();
            }
        } while ($alive && hrtime(true) / 1e9 < $until);

        return $alive;
    }

    public function stop(): void
    {
        if (!$this->stopped) {
            $this->stopped = true;
            foreach ($this->runs as $run) {
                $run->link->send(Command::write('test_cancel', ['token' => $run->token]));
            }
        }
    }

    public function partial(): bool
    {
        return array_filter($this->runs, static fn (AgentRun $run): bool => $run->lost || $run->partial) !== [];
    }

    public function phase(): string
    {
        $least = count(Interval::PHASES) - 1;
        foreach ($this->runs as $run) {
            $least = $run->running() ? min($least, (int) array_search($run->phase, Interval::PHASES, true)) : $least;
        }

        return Interval::PHASES[$least];
    }

    public function counters(bool $measured = false): array
    {
        $sum = [];
        foreach ($this->runs as $run) {
            foreach ($measured ? $run->measured : $run->totals as $name => $value) {
                $sum[$name] = ($sum[$name] ?? 0) + $value;
            }
        }

        return $sum;
    }

    public function histogram(string $name): Histogram
    {
        $whole = new Histogram();
        foreach ($this->runs as $run) {
            if (isset($run->histograms[$name])) {
                $whole->merge($run->histograms[$name]);
            }
        }

        return $whole;
    }

    public function intervals(): array
    {
        $ready = [];
        $needed = count(array_filter($this->runs, static fn (AgentRun $run): bool => $run->running()));
        ksort($this->intervals);
        foreach ($this->intervals as $place => $interval) {
            if ($interval['told'] < max(1, $needed)) {
                break;
            }
            unset($interval['told'], $this->intervals[$place]);
            $ready[] = $interval;
        }

        return $ready;
    }

    public function workers(): array
    {
        return array_merge(...array_map(static fn (AgentRun $run): array => $run->workers(), $this->runs));
    }

    public function facts(): array
    {
        $facts = ['agents' => count($this->runs)];
        foreach ($this->runs as $run) {
            $facts += $run->facts;
            $facts['window'] = max((float) ($facts['window'] ?? 0.0), (float) ($run->facts['window'] ?? 0.0));
        }

        return $facts;
    }

    public function samples(): iterable
    {
        foreach ($this->runs as $run) {
            yield from $run->samples;
        }
    }

    /** Microseconds that the agent's clock is ahead of ours, from the exchange with the least round trip. */
    private function offset(AgentRun $run): int
    {
        $best = INF;
        $offset = 0;
        for ($i = 0; $i < self::CLOCK_SAMPLES; $i++) {
            $sent = hrtime(true) / 1e9;
            $run->link->send(Command::write('clock', ['token' => $run->token]));
            do {
                $text = $run->link->take(self::CLOCK_PATIENCE);
                $answer = $text === null ? null : json_decode($text, true);
            } while (is_array($answer) && ($answer['type'] ?? '') === 'test_welcome');
            $came = hrtime(true) / 1e9;
            $time = is_array($answer) && is_array($answer['data'] ?? null) ? $answer['data']['time'] ?? null : null;
            if (!is_int($time)) {
                throw new \RuntimeException("{$run->link->name()} does not answer as an agent of this tool: it knows no clock command");
            }
            if ($came - $sent < $best) {
                $best = $came - $sent;
                $offset = $time - (int) (($sent + $came) / 2 * 1e6);
            }
        }

        return $offset;
    }

    private function take(AgentRun $run, string $text): void
    {
        try {
            $message = Fields::ofJson($text);
            if ($message->string('token') !== $run->token) {
                return;
            }
        } catch (BadFile) {
            return;     // a welcome has no token; what is no message of ours is none
        }
        $run->heard = hrtime(true) / 1e9;
        try {
            match ($message->string('type')) {
                'error' => $run->fail($message->string('data')),
                'test_complete' => $run->complete(),
                'test_data' => $this->data($run, $message->object('data')),
                default => null,
            };
        } catch (BadFile | \ValueError $fault) {
            $run->fail("the agent {$run->link->name()} sent what is no result: {$fault->getMessage()}");
        }
    }

    private function data(AgentRun $run, Fields $data): void
    {
        switch ($data->string('kind')) {
            case 'state':
                $run->phase = $data->string('phase');
                $run->totals = $data->ints('counters');
                break;
            case 'interval':
                $this->interval($run, $data);
                break;
            case 'result':
                $run->finish($data);
                break;
        }
    }

    /**
     * Agents open their connections in different times, so intervals belong together by phase and place in it, not by time. Together they are
     * as long as the longest: what all did in it is no rate over the share of whose word came first.
     */
    private function interval(AgentRun $run, Fields $data): void
    {
        $phase = $data->string('phase');
        $place = 100_000 * (int) array_search($phase, Interval::PHASES, true) + $run->place($phase);
        $histogram = Hdr::unpack($data->string('response'));
        if (!isset($this->intervals[$place])) {
            $this->intervals[$place] = [
                'start' => $data->float('start'), 'length' => $data->float('length'), 'phase' => $phase,
                'counters' => $data->ints('counters'), 'response' => $histogram, 'told' => 1,
            ];

            return;
        }
        $this->intervals[$place]['told']++;
        $this->intervals[$place]['length'] = max($this->intervals[$place]['length'], $data->float('length'));
        $this->intervals[$place]['response']->merge($histogram);
        foreach ($data->ints('counters') as $name => $value) {
            $this->intervals[$place]['counters'][$name] = ($this->intervals[$place]['counters'][$name] ?? 0) + $value;
        }
    }

    private function patience(float $until): float
    {
        return max(0.001, min(0.02, $until - hrtime(true) / 1e9));
    }
}
