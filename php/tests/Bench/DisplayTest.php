<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use Symfony\Component\Console\Output\BufferedOutput;
use Tusk\Bench\Console\LineDisplay;
use Tusk\Bench\Console\LiveDisplay;
use Tusk\Terminal\Spark;
use Tusk\Bench\Interval;
use Tusk\Bench\Mode;
use Tusk\Bench\Plan;
use Tusk\Bench\Snapshot;

#[CoversClass(LiveDisplay::class)]
#[CoversClass(LineDisplay::class)]
#[CoversClass(Spark::class)]
final class DisplayTest extends BenchCase
{
    private static function snapshot(float $elapsed, string $phase = 'measure', int $errors = 0): Snapshot
    {
        $interval = static fn (int $rate, int $p99): Interval => new Interval(0, 1, 'measure', ['completed' => $rate], $rate, 1_000_000, 2_000_000, $p99, $p99, '');

        return new Snapshot($elapsed, $phase, ['in_flight' => 12, 'failed_reset' => $errors], [$interval(500, 4_000_000), $interval(1000, 8_000_000)]);
    }

    public function testATerminalIsPaintedOver(): void
    {
        $output = new BufferedOutput();
        $display = new LiveDisplay($output, '10');
        $display->begin(new Plan(Mode::WsEcho, 'ws://127.0.0.1:1/', ['duration' => '4s']));
        $display->update(self::snapshot(1.0, 'warmup'));
        $first = $output->fetch();
        $display->update(self::snapshot(2.0));
        $display->update(self::snapshot(4.0, errors: 3));
        $text = $output->fetch();
        $display->end();

        self::assertStringContainsString('warmup  1 s', $first);
        self::assertStringNotContainsString("\e[3A", $first);
        self::assertStringContainsString("\e[3A", $text);
        self::assertStringContainsString('measure ━━━━━━━━━━━━──────────── 2 of 4 s', $text);
        self::assertStringContainsString('1,000 echoes/s   in flight 12   p50 1.00 ms   p99 8.00 ms', $text);
        self::assertStringContainsString("\e[31merrors 3\e[0m", $text);
        self::assertStringContainsString('rate ▄█  p99 ▄█', $text);
        self::assertSame("\e[3A\e[J", $output->fetch(), 'it leaves nothing behind');
    }

    public function testWithoutATerminalALineComesEveryTenSeconds(): void
    {
        $output = new BufferedOutput();
        $display = new LineDisplay($output);
        $display->begin(new Plan(Mode::WsEcho, 'ws://127.0.0.1:1/'));
        foreach ([0.3, 9.9, 10.1, 10.4, 19.9, 20.2, 45.0, 45.3, 50.1] as $elapsed) {
            $display->update(self::snapshot($elapsed));
        }
        $lines = explode("\n", rtrim($output->fetch()));

        self::assertSame('   10 s  measure   1,000 echoes/s  in flight 12  p50 1.00 ms  p99 8.00 ms  errors 0', $lines[0]);
        self::assertSame(['10', '20', '45', '50'], array_map(static fn (string $line): string => trim(substr($line, 0, 5)), $lines));
    }

    public function testWhileConnectionsAreOpenedTheirNumberIsShown(): void
    {
        $opening = new Snapshot(10.2, 'connect', ['open' => 19_000, 'failed_timeout' => 250], []);
        $lines = new BufferedOutput();
        $terminal = new BufferedOutput();
        foreach ([new LineDisplay($lines), new LiveDisplay($terminal, '10', false)] as $display) {
            $display->begin(new Plan(Mode::WsEcho, 'ws://127.0.0.1:1/'));
            $display->update($opening);
        }

        self::assertSame("   10 s  connect   19,000 connections open  errors 250\n", $lines->fetch());
        self::assertStringContainsString('  19,000 connections open   errors 250', $terminal->fetch());
    }

    public function testSparksShowTheLast(): void
    {
        self::assertSame('▁▄█', Spark::line([9.0, 0.0, 4.0, 8.0], 3));
        self::assertSame('▁▁', Spark::line([0.0, 0.0], 5));
        self::assertSame('', Spark::line([], 5));
    }
}
