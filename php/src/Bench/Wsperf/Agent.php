<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Bench\Engines;

/** Takes commands, runs their tests on its workers, answers as wsperf does. Knows no socket: whoever has one calls it. */
final class Agent
{
    public const SUBPROTOCOL = 'wsperf';
    public const VERSION = 'wsperf/0.2.0 Tusk/' . \Tusk\Package::VERSION;
    private const QUEUE_MAX = 1000;

    /** @var array<string, \Closure(string): void> what sends, by commander */
    private array $commanders = [];
    /** @var list<array{string, Command}> commander and what it asked for */
    private array $queue = [];
    /** @var array<int, array{string, Command, Job}> by worker */
    private array $running = [];

    /** @param int $workers tests at once; 0: one, which is told as blocking mode */
    public function __construct(
        private readonly Engines $engines,
        private readonly Targets $targets,
        private readonly string $ident = 'Unspecified',
        private readonly int $workers = 2,
    ) {}

    /** @param \Closure(string): void $send */
    public function join(string $commander, \Closure $send): void
    {
        $this->commanders[$commander] = $send;
        $this->answer($commander, ['type' => 'test_welcome', 'version' => self::VERSION, 'ident' => $this->ident, 'num_workers' => $this->workers]);
    }

    /** Its tests end, those that wait too. */
    public function leave(string $commander): void
    {
        unset($this->commanders[$commander]);
        $this->queue = array_values(array_filter($this->queue, static fn (array $entry): bool => $entry[0] !== $commander));
        foreach ($this->running as [$owner, , $job]) {
            if ($owner === $commander) {
                $job->stop();
            }
        }
    }

    public function take(string $commander, string $text): void
    {
        $now = intdiv(hrtime(true), 1000);
        $command = Command::parse($text);
        if ($command->name === 'clock') {
            $this->answer($commander, ['type' => 'clock', 'token' => $command->token(), 'data' => ['time' => $now]]);
        } elseif ($command->name === 'test_cancel') {
            $this->cancel($commander, $command->token());
        } elseif (!in_array($command->name, ['message_test', 'stress_test', 'bench_test'], true)) {
            $this->fail($commander, $command, 'Invalid Command');
        } elseif (count($this->queue) >= self::QUEUE_MAX) {
            $this->fail($commander, $command, 'Too many commands wait.');
        } else {
            $this->queue[] = [$commander, $command];
        }
    }

    public function idle(): bool
    {
        return $this->queue === [] && $this->running === [];
    }

    /** Starts what waits, sends what came, ends what is done. Never blocks; to be called some fifty times a second while not idle. */
    public function tick(): void
    {
        for ($worker = 0; $worker < max(1, $this->workers) && $this->queue !== []; $worker++) {
            if (!isset($this->running[$worker])) {
                [$commander, $command] = array_shift($this->queue);
                $this->start($worker, $commander, $command);
            }
        }
        foreach ($this->running as $worker => [$commander, $command, $job]) {
            try {
                foreach ($job->data() as $data) {
                    $this->answer($commander, ['type' => 'test_data', 'token' => $command->token(), 'data' => $data]);
                }
            } catch (BadCommand $fault) {
                unset($this->running[$worker]);
                $this->fail($commander, $command, $fault->getMessage());
                continue;
            }
            if (!$job->running()) {
                unset($this->running[$worker]);
                $this->answer($commander, ['type' => 'test_complete', 'token' => $command->token(), 'data' => '']);
            }
        }
    }

    private function start(int $worker, string $commander, Command $command): void
    {
        try {
            $job = match ($command->name) {
                'message_test' => new MessageTest($command, $this->engines, $this->targets),
                'stress_test' => new StressTest($command, $this->engines, $this->targets),
                default => new BenchTest($command, $this->engines, $this->targets),
            };
            $job->start();
        } catch (BadCommand $fault) {
            $this->fail($commander, $command, $fault->getMessage());

            return;
        }
        $this->running[$worker] = [$commander, $command, $job];
        $this->answer($commander, ['type' => 'test_start', 'token' => $command->token(), 'data' => ['worker_id' => $worker]]);
    }

    private function cancel(string $commander, string $token): void
    {
        $this->queue = array_values(array_filter($this->queue, static fn (array $entry): bool => $entry[0] !== $commander || $entry[1]->token() !== $token));
        foreach ($this->running as [$owner, $command, $job]) {
            if ($owner === $commander && $command->token() === $token) {
                $job->stop();
            }
        }
    }

    private function fail(string $commander, Command $command, string $why): void
    {
        $this->answer($commander, ['type' => 'error', 'token' => $command->token(), 'data' => $why]);
    }

    /** @param array<string, mixed> $message */
    private function answer(string $commander, array $message): void
    {
        $send = $this->commanders[$commander] ?? null;
        if ($send !== null) {
            $send(json_encode($message, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PRESERVE_ZERO_FRACTION));
        }
    }
}
