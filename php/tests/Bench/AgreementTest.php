<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\ExpectationFailedException;
use Tusk\Bench\LoadEngine;
use Tusk\Bench\LoadEngines;
use Tusk\Bench\Mode;
use Tusk\Bench\Plan;
use Tusk\Bench\Result;
use Tusk\Bench\Session;
use Tusk\Bench\Suite\Ports;
use Tusk\Bench\Suite\ServerProcess;
use Tusk\Bench\Suite\Table;

/**
 * What other people's tools say of a server that waits: 20 connections, answers after 10 ms, each tenth after 100 ms.
 * Three rounds in turns; two figures agree when they differ by no more than either tool's own rounds do, or by a twentieth
 * where those happen to be closer.
 */
#[CoversClass(LoadEngine::class)]
#[CoversClass(Session::class)]
final class AgreementTest extends BenchCase
{
    private const ROUNDS = 3;
    private const SECONDS = 2;
    private const CONNECTIONS = 20;

    private ServerProcess $server;

    protected function setUp(): void
    {
        parent::setUp();
        $port = Ports::free();
        $this->server = new ServerProcess([...self::php(), __DIR__ . '/server/waiting.php', (string) $port], $port, $this->path('.log'), []);
    }

    protected function tearDown(): void
    {
        $this->server->end();
        parent::tearDown();
    }

    public function testTheServerCountsWhatTheToolCounts(): void
    {
        $result = $this->measuredHere();

        self::assertEqualsWithDelta($this->answered(), $result->totals['completed'], self::CONNECTIONS, 'all but what was under way at the end');
    }

    public function testRateAndMedianAreThoseOfWrk(): void
    {
        self::needs('wrk');
        $this->assertAgreement(['rate', 'p50'], function (): array {     // wrk adds samples above, for requests that it says it would have sent
            $said = self::said('wrk -t1 -c' . self::CONNECTIONS . ' -d' . self::SECONDS . "s --latency {$this->url()}");

            return ['rate' => self::number('~Requests/sec:\s+([\d.]+)~', $said), 'p50' => self::number('~50%\s+([\d.]+)ms~', $said)];
        });
    }

    public function testRateAndPercentilesAreThoseOfAb(): void
    {
        self::needs('ab');
        $this->assertAgreement(['rate', 'p50', 'p95'], function (): array {
            $said = self::said('ab -k -c ' . self::CONNECTIONS . ' -t ' . self::SECONDS . " -n 1000000 {$this->url()}");

            return [
                'rate' => self::number('~Requests per second:\s+([\d.]+)~', $said),
                'p50' => self::number('~50%\s+(\d+)~', $said),
                'p95' => self::number('~95%\s+(\d+)~', $said),
            ];
        }, wholeMs: true);
    }

    private function url(): string
    {
        return "http://127.0.0.1:{$this->server->port}/";
    }

    private function answered(): int
    {
        return (int) file_get_contents($this->url() . 'count');
    }

    private function measuredHere(): Result
    {
        $plan = new Plan(Mode::Http, $this->url(), ['connections' => self::CONNECTIONS, 'duration' => self::SECONDS . 's', 'warmup' => 0]);

        return (new Session(new LoadEngines(), self::nobody()))->run($plan)->result;
    }

    /**
     * @param \Closure(): array<string, float> $other
     *
     * @return array{non-empty-list<array<string, float>>, non-empty-list<array<string, float>>} ours and the other's, latencies in milliseconds
     */
    private function inTurns(\Closure $other): array
    {
        $rounds = range(1, self::ROUNDS);
        $pairs = array_map(function () use ($other): array {
            $theirs = $other();
            $result = $this->measuredHere();
            $latency = $result->headline();

            return [['rate' => $result->rate(), 'p50' => $latency->percentile(50) / 1e6, 'p95' => $latency->percentile(95) / 1e6], $theirs];
        }, $rounds);

        return [array_column($pairs, 0), array_column($pairs, 1)];
    }

    /**
     * What else the machine does falls on one of the two now and then, so they have three tries.
     *
     * @param list<string>                    $figures
     * @param \Closure(): array<string, float> $other
     * @param bool                            $wholeMs the other tells milliseconds without a fraction
     */
    private function assertAgreement(array $figures, \Closure $other, bool $wholeMs = false): void
    {
        for ($left = 2; ; $left--) {
            [$ours, $theirs] = $this->inTurns($other);
            try {
                self::assertEqualFigures($ours, $theirs, $figures, $wholeMs);

                return;
            } catch (ExpectationFailedException $apart) {
                if ($left === 0) {
                    throw $apart;
                }
            }
        }
    }

    /**
     * @param non-empty-list<array<string, float>> $ours
     * @param non-empty-list<array<string, float>> $theirs
     * @param list<string>                         $figures
     */
    private static function assertEqualFigures(array $ours, array $theirs, array $figures, bool $wholeMs): void
    {
        foreach ($figures as $figure) {
            [$a, $b] = array_map(static fn (array $rounds): array => array_map(static fn (array $round): float => $round[$figure], $rounds), [$ours, $theirs]);
            $edge = $figure === 'rate' ? self::CONNECTIONS / self::SECONDS : ($wholeMs ? 1.0 : 0.0);    // what is under way at the end is not counted by all
            $apart = max(max($a) - min($a), max($b) - min($b), Table::median($b) / 20 + $edge);
            self::assertEqualsWithDelta(Table::median($b), Table::median($a), $apart, "$figure: ours " . implode(', ', $a) . '; the other ' . implode(', ', $b));
        }
    }

    private static function needs(string $tool): void
    {
        if (exec("command -v $tool") === '') {
            self::markTestSkipped("$tool is not installed");
        }
    }

    private static function said(string $command): string
    {
        exec("$command 2>&1", $lines, $status);
        self::assertSame(0, $status, implode("\n", $lines));

        return implode("\n", $lines);
    }

    private static function number(string $pattern, string $said): float
    {
        self::assertSame(1, preg_match($pattern, $said, $match), $said);

        return (float) $match[1];
    }
}
