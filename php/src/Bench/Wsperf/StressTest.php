<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Bench\Engine;
use Tusk\Bench\Engines;
use Tusk\Bench\Mode;

/**
 * `stress_test`: many connections, paced, each with echoes, each reported alone. Differs from wsperf on purpose: a connection
 * sends its first message when it is open, not when the last one was started; `con_lifetime=fixed`, as every word that is not
 * `random` or `infinite`, holds it for `con_duration` ms. Those two, and the key left out, have no effect, as in wsperf.
 */
final class StressTest extends EngineJob
{
    private const CONNECTIONS_MAX = 100_000;
    private const MESSAGES_MAX = 1000;
    private const SIZE_MAX = 1 << 24;

    private readonly int $connections;
    private readonly int $delay;
    private readonly int $messages;
    private readonly int $size;
    private readonly float $hold;
    private int $most = 0;

    /** @throws BadCommand naming the argument */
    public function __construct(Command $command, Engines $engines, Targets $targets)
    {
        parent::__construct($command, $engines, $targets);
        $this->connections = max(1, $command->count('connection_count', self::CONNECTIONS_MAX, 1));
        $this->delay = $command->count('handshake_delay', 3_600_000, 10);
        $this->messages = max(1, $command->count('msg_count', self::MESSAGES_MAX, 0));
        $this->size = $command->count('msg_size', self::SIZE_MAX, 0);
        $duration = $command->count('con_duration', 86_400_000, 5000) / 1000;
        $this->hold = match ($command->text('con_lifetime', '')) {
            '', 'random', 'infinite' => 0.0,
            default => $duration,
        };
    }

    public function start(): void
    {
        $this->begin(Mode::WsHandshake, [
            'connections' => $this->connections,
            'count' => $this->connections,
            'samples' => $this->connections,
            'exchanges' => $this->messages,
            'size' => $this->size,
            'hold' => $this->hold,
            'rate' => $this->delay > 0 ? 1000 / $this->delay : 0,
            'close-code' => 1000,
            'duration' => self::LONGEST,
            'drain' => 60 + $this->hold,
        ]);
    }

    public function data(): array
    {
        if ($this->done || $this->engine === null) {
            return [];
        }
        $alive = $this->engine->poll(0.0);
        $this->most = max($this->most, $this->engine->counters()['open'] ?? 0);
        if ($alive) {
            return [];
        }
        $this->done = true;

        return [$this->result($this->engine)];
    }

    /** @return array<string, mixed> */
    private function result(Engine $engine): array
    {
        $connections = [];
        foreach ($engine->samples() as $sample) {
            $connections[] = self::connection(count($connections), $sample, (int) ($this->hold * 1e9));
        }
        $failed = count(array_filter($connections, static fn (array $connection): bool => $connection['status'] === 'Failed'));

        return [
            'current_connections' => 0,
            'max_connections' => max($this->most, count($connections) > $failed ? 1 : 0),
            'total_connections' => count($connections),
            'failed_connections' => $failed,
            'connection_data' => $connections,
        ];
    }

    /**
     * Microseconds since the test was made; 0: did not happen. `close_sent` is when the last answer was there and the hold was over.
     *
     * @param array{start: int, tcp: int, tls: int, upgrade: int, close: int, failed: bool, exchanges: list<array{int, int}>} $sample
     *
     * @return array<string, mixed>
     */
    private static function connection(int $id, array $sample, int $hold): array
    {
        $tcp = $sample['tcp'] > 0 ? $sample['start'] + $sample['tcp'] : 0;
        $open = $sample['upgrade'] > 0 ? $sample['start'] + $sample['tcp'] + $sample['tls'] + $sample['upgrade'] : 0;
        $last = $sample['exchanges'][count($sample['exchanges']) - 1][1] ?? 0;
        $end = $open + $sample['close'];
        $microseconds = static fn (int $nanoseconds): int => intdiv($nanoseconds, 1000);

        return [
            'id' => $id,
            'status' => $sample['failed'] ? 'Failed' : 'Closed',
            'start' => $microseconds($sample['start']),
            'tcp' => $microseconds($tcp),
            'open' => $microseconds($sample['failed'] ? 0 : $open),
            'fail' => $microseconds($sample['failed'] ? max($sample['start'], $tcp, $open, $last) : 0),
            'close_sent' => $microseconds($sample['failed'] ? 0 : min($end, max($open, $last) + $hold)),
            'close' => $microseconds($sample['failed'] ? 0 : $end),
            'messages' => array_map(static fn (array $pair): array => [$microseconds($pair[0]), $microseconds($pair[1])], $sample['exchanges']),
        ];
    }
}
