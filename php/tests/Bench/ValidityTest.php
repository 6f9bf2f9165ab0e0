<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Bench\Generator;
use Tusk\Bench\Interval;
use Tusk\Bench\Mode;
use Tusk\Bench\Result;
use Tusk\Bench\Report\Text;
use Tusk\Bench\Validity;

#[CoversClass(Validity::class)]
final class ValidityTest extends BenchCase
{
    public function testACleanRunIsValid(): void
    {
        self::assertSame([], self::measured()->validity->reasons);
        self::assertTrue(self::measured()->validity->valid());
    }

    /** @param list<string> $said */
    #[DataProvider('spoiled')]
    public function testWhatSpoilsAResultIsSaid(Recording $recording, string $rate, array $said): void
    {
        $reasons = implode("\n", self::measured($recording, ['rate' => $rate])->validity->reasons);

        foreach ($said as $words) {
            self::assertStringContainsString($words, $reasons);
        }
    }

    /** @return iterable<string, array{Recording, string, list<string>}> */
    public static function spoiled(): iterable
    {
        $stopped = new Recording();
        $stopped->stop();
        yield 'ended early' => [$stopped, '0', ['partial: the run was ended early']];
        yield 'errors' => [new Recording(counters: ['failed_refused' => 12, 'wrong' => 1500]), '0', ['errors: 1,500 answers with other bytes', 'errors: 12 connections refused']];
        yield 'dropped' => [new Recording(counters: ['dropped' => 3]), '1k', ['dropped: 3 planned operations']];
        yield 'unfinished' => [new Recording(counters: ['unfinished' => 2]), '1k', ['unfinished: 2 operations']];
        yield 'too short a window' => [new Recording(length: 0), '0', ['too short: a window of']];
        yield 'too few samples' => [new Recording(length: 2, rate: 100), '0', ['too short: 200 samples; p99 needs 1,000']];
        yield 'late' => [new Recording(more: ['late' => array_fill(0, 1000, 400_000)]), '1k', ['late: the generator itself sent up to 400 µs late (p99), over 10 % of the median of 1.']];
        yield 'Little' => [new Recording(counters: ['in_flight_sum_ns' => 600_000_000_000]), '0', ["Little's law is off: 100.0 operations"]];
        yield 'a worker that failed' => [new Recording(error: 'out of descriptors'), '0', ['a worker reports: out of descriptors']];
    }

    public function testWhereNothingButErrorsCameNobodyIsAskedToMeasureLonger(): void
    {
        $reasons = implode("\n", self::measured(new Recording(length: 0, counters: ['failed_refused' => 12]))->validity->reasons);

        self::assertStringContainsString('errors: 12 connections refused', $reasons);
        self::assertStringNotContainsString('too short', $reasons);
    }

    public function testLatenessIsNoFaultOfAClosedRun(): void
    {
        self::assertTrue(self::measured(new Recording(more: ['late' => array_fill(0, 1000, 400_000)]))->validity->valid());
    }

    public function testASaturatedGeneratorIsALowerBound(): void
    {
        $validity = Validity::judge(self::changed(new Generator([['pid' => 1, 'user' => 1.0, 'system' => 1.0, 'switches' => 0, 'cpu' => 0.97, 'error' => null]])));

        self::assertSame(['generator saturated: a worker used 97.0 % of a core, so the rate is a lower bound'], $validity->reasons);
    }

    public function testAGeneratorThatGetsNoProcessorIsALowerBoundToo(): void
    {
        $used = static fn (float $cpu, float $waited): Generator => new Generator(
            [['pid' => 1, 'user' => $cpu, 'system' => 0.0, 'switches' => 0, 'cpu' => $cpu, 'error' => null]],
            waited: $waited,
        );
        $starved = Validity::judge(self::changed($used(0.2, 0.7)));
        $hindered = Validity::judge(self::changed($used(0.2, 0.3)));

        self::assertSame(['generator starved: a worker ran 20.0 % and waited for a processor 70.0 % of the time, so the rate is a lower bound'], $starved->reasons);
        self::assertSame([], $starved->notes);
        self::assertSame([], $hindered->reasons);
        self::assertSame(['others use this machine: a worker waited for a processor 30.0 % of the time'], $hindered->notes);
        self::assertSame([], Validity::judge(self::changed($used(0.7, 0.09)))->notes);
    }

    public function testARateNearTheCeilingIsNoted(): void
    {
        $validity = Validity::judge(self::changed(new Generator([], ['rate' => 1100.0])));

        self::assertStringContainsString('near the ceiling: 90.9 %', $validity->notes[0]);
        self::assertStringContainsString('near the ceiling: 71.4 %', Validity::judge(self::changed(new Generator([], ['rate' => 1400.0])))->notes[0]);
        self::assertSame([], Validity::judge(self::changed(new Generator([], ['rate' => 1450.0])))->notes); // 69 %
    }

    public function testWhatTheToolsOwnServerReachesStandsInTheReport(): void
    {
        $text = Text::write(self::changed(new Generator([], ['rate' => 2000.0, 'p50' => 50_000])));

        self::assertStringContainsString("2,000/s with p50 50.0 µs against the tool's own server; this run is 50.0 % of it", $text);
    }

    public function testDriftIsSaidAndMuchOfItSpoils(): void
    {
        $hdr = self::measured()->intervals[0]->hdr;
        $second = static fn (int $at, int $rate): Interval => new Interval($at, 1.0, 'measure', ['completed' => $rate], 0, null, null, null, 0, $hdr);
        $judge = static fn (int $last): Validity => Validity::judge(self::changed(intervals: [$second(0, 1000), $second(1, 1000), $second(2, $last)]));

        self::assertSame(['not steady: rate of the last third differs from the first by -10 %'], $judge(900)->notes);
        self::assertSame(['not steady: rate of the last third differs from the first by -60 %'], $judge(400)->reasons);
        self::assertSame([], $judge(980)->notes);
    }

    public function testAStormIsValidWhenAllAreBack(): void
    {
        $storm = static fn (int $back): Result => self::measured(
            new Recording(length: 1, rate: 0, more: ['reconnect' => array_fill(0, $back, 5_000_000)]),
            ['connections' => '10', 'reconnect-storm' => true],
            \Tusk\Bench\Mode::WsHandshake,
        );

        self::assertSame([], $storm(10)->validity->reasons);
        self::assertSame(['not all are back: 9 of 10 connections'], $storm(9)->validity->reasons);
    }

    public function testAStreamOfOthersIsCountedNotTimed(): void
    {
        $validity = self::measured(new Recording(rate: 0, counters: ['received' => 500]), [], Mode::Sse)->validity;

        self::assertSame([], $validity->reasons);
        self::assertStringContainsString('give --publish-url', $validity->notes[0]);
    }

    public function testConnectionsThatAreHeldNeedNoOperations(): void
    {
        self::assertTrue(self::measured(new Recording(rate: 0), [], Mode::TcpHold)->validity->valid());
    }

    /** @param list<Interval>|null $intervals */
    private static function changed(?Generator $generator = null, ?array $intervals = null): Result
    {
        $r = self::measured();

        return new Result(
            $r->version,
            $r->started,
            $r->arguments,
            $r->scenario,
            $r->mode,
            $r->url,
            $r->options,
            $r->partial,
            $r->seconds,
            $r->counters,
            $r->totals,
            $r->latency,
            $r->phases,
            $intervals ?? $r->intervals,
            $generator ?? $r->generator,
            $r->server,
            $r->machine,
            $r->facts,
        );
    }
}
