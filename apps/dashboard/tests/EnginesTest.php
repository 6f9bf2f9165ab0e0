<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Dashboard\Dashboard;
use Tusk\Dashboard\Picture;
use Tusk\Dashboard\Ran;
use Tusk\Dashboard\Run;
use Tusk\Dashboard\Sheet;
use Tusk\Parallel\Pool;
use Tusk\Resource\Application;

/** The same pages by every engine. */
final class EnginesTest extends TestCase
{
    private static ?Pool $pool = null;

    private static function pool(): Pool
    {
        return self::$pool ??= new Pool(workers: 3, max: 11);
    }

    public static function tearDownAfterClass(): void
    {
        self::$pool?->close();
        self::$pool = null;
    }

    /** @return iterable<string, array{\Closure(): Application}> */
    public static function engines(): iterable
    {
        yield 'sequential' => [static fn (): Application => (new Dashboard())->sequential()];
        yield 'workers' => [static fn (): Application => (new Dashboard())->workers(self::pool())];
        yield 'fibers' => [static fn (): Application => (new Dashboard())->fibers()];
    }

    /** @param \Closure(): Application $engine */
    #[DataProvider('engines')]
    public function test_pages_differ_only_in_when_and_where_their_parts_ran(\Closure $engine): void
    {
        foreach (Sheet::cases() as $sheet) {
            $expected = Run::of((new Dashboard())->sequential(), $sheet, 0.1);
            $run = Run::of($engine(), $sheet, 0.1);
            self::assertSame(self::without($expected->json), self::without($run->json));
            self::assertCount($sheet === Sheet::Users ? 1 + 4 + 8 : $sheet->embeds(), $run->parts);
        }
    }

    private static function without(string $json): string
    {
        return (string) preg_replace('~"(process|began|ended)":\d+~', '"$1":0', $json);
    }

    public function test_in_fibers_every_part_begins_before_one_has_ended(): void
    {
        $parts = Run::of((new Dashboard())->fibers(), Sheet::Large, 20)->parts;
        $last = max(0, ...array_map(static fn (Ran $ran): int => $ran->began, $parts));
        foreach ($parts as $ran) {
            self::assertLessThanOrEqual($ran->ended, $last);
        }
    }

    public function test_with_workers_parts_run_in_processes_of_their_own(): void
    {
        $parts = Run::of((new Dashboard())->workers(self::pool()), Sheet::Large, 20)->parts;
        $processes = array_unique(array_map(static fn (Ran $ran): int => $ran->process, $parts));
        self::assertGreaterThan(1, count($processes));
        self::assertNotContains(getmypid(), $processes);
    }

    public function test_the_picture_has_a_bar_for_each_part(): void
    {
        $run = Run::of((new Dashboard())->fibers(), Sheet::Large, 0.1);
        $svg = Picture::file(Picture::of($run, $run->milliseconds(), 'large & slow'));
        $xml = simplexml_load_string($svg);
        self::assertNotFalse($xml);
        self::assertSame(11, substr_count($svg, '<rect '));
        self::assertStringContainsString('large &amp; slow', $svg);
        self::assertStringContainsString('>0 ms<', $svg);
    }

    /** @return array{int, list<string>} */
    private static function benchmark(string ...$arguments): array
    {
        $command = [PHP_BINARY, ...(extension_loaded('tusk') ? ['-d', 'extension=' . (getenv('TUSK_SO') ?: dirname(__DIR__, 3) . '/build/ext/modules/tusk.so')] : []),
            dirname(__DIR__, 3) . '/bench/parallel/embeds.php', ...$arguments];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines, $status);

        return [$status, $lines];
    }

    public function test_the_benchmark_names_what_it_does_not_understand(): void
    {
        $usage = 'usage: embeds.php [ITERATIONS], 5 where none are given';
        self::assertSame([0, [$usage]], self::benchmark('--help'));
        foreach (['0', '-1', 'abc', '1e3', '2x', ''] as $wrong) {
            self::assertSame([2, ["embeds: $wrong is no number of iterations", $usage]], self::benchmark($wrong));
        }
        self::assertSame([2, ['embeds: one argument at most', $usage]], self::benchmark('2', '5'));
    }

    public function test_the_benchmark_prints_what_it_promises(): void
    {
        [$status, $lines] = self::benchmark('1');
        self::assertSame(0, $status, implode("\n", $lines));
        $figure = '\d+\.\d\dms \(avg\)';
        foreach ([50, 5, 1] as $delay) {
            $sheets = '';
            foreach (['Small' => 3, 'Medium' => 5, 'Large' => 11] as $name => $embeds) {
                $sheets .= "--- $name Dashboard \\($embeds embeds\\) ---\nSync: $figure\nParallel: $figure\nSpeedup: \\d+\\.\\d\\dx\nOver the longest embed: -?$figure, -?\\d+\\.\\d\\d \\(median\\), -?\\d+\\.\\d\\d to -?\\d+\\.\\d\\d\n"
                    . "Over the delay: $figure, \\d+\\.\\d\\d \\(median\\), \\d+\\.\\d\\d to \\d+\\.\\d\\d\n\n";
            }
            foreach (['worker pool', 'fibers'] as $engine) {
                self::assertMatchesRegularExpression("~Engine: $engine\nIterations: 1\nDelay per resource: {$delay}ms\n\n$sheets~", implode("\n", $lines) . "\n\n");
            }
        }
        self::assertMatchesRegularExpression('~W2, 11 embeds, worker pool, medians at load .*\n  50 ms: \d+\.\d\d of the target .*\n   5 ms: .*\n   1 ms: ~', implode("\n", $lines));
    }
}
