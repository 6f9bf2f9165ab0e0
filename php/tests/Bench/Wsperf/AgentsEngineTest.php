<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench\Wsperf;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Tusk\Bench\Hdr;
use Tusk\Bench\Histogram;
use Tusk\Bench\Mode;
use Tusk\Bench\Wsperf\AgentsEngine;
use Tusk\Bench\Wsperf\Link;

/** What agents tell, put together; they are played here, so that the order of their words is the test's. */
#[CoversClass(AgentsEngine::class)]
final class AgentsEngineTest extends TestCase
{
    /** Of an agent that says its intervals, of this many seconds each, and then that it is done. */
    private static function link(float ...$lengths): Link
    {
        return new class (array_values($lengths)) implements Link {
            /** @var list<string> */
            private array $said = [];

            /** @param list<float> $lengths */
            public function __construct(private readonly array $lengths) {}

            public function name(): string
            {
                return 'played';
            }

            public function send(string $command): void
            {
                preg_match('~^(\w+):.*?token=([^;]+);~', $command, $match);
                $say = function (string $type, mixed $data) use ($match): void {
                    $this->said[] = json_encode(['type' => $type, 'token' => $match[2] ?? '', 'data' => $data], JSON_THROW_ON_ERROR);
                };
                if (str_starts_with($command, 'clock:')) {
                    $say('test_data', ['time' => (int) (microtime(true) * 1e6)]);
                } elseif (str_starts_with($command, 'bench_test:')) {
                    foreach ($this->lengths as $i => $length) {
                        $say('test_data', ['kind' => 'interval', 'start' => (float) $i, 'length' => $length, 'phase' => 'measure',
                            'counters' => ['completed' => 100], 'response' => Hdr::pack(new Histogram())]);
                    }
                    $say('test_complete', null);
                }
            }

            public function take(float $seconds): ?string
            {
                return array_shift($this->said);
            }

            public function isOpen(): bool
            {
                return true;
            }
        };
    }

    public function testAnIntervalIsAsLongAsTheLongestOfItsAgents(): void
    {
        $engine = new AgentsEngine([self::link(1.0, 0.01), self::link(1.2, 0.5), self::link(0.9, 0.2)], Mode::WsEcho, 'ws://127.0.0.1:9/', ['connections' => 3], []);
        $engine->start();
        while ($engine->poll(0.01));
        $intervals = $engine->intervals();

        self::assertSame([1.2, 0.5], array_column($intervals, 'length'));
        self::assertSame([300, 300], array_map(static fn (array $interval): int => $interval['counters']['completed'], $intervals));
    }
}
