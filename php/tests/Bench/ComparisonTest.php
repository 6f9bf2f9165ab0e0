<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Bench\BlockOrder;
use Tusk\Bench\Comparison;
use Tusk\Bench\Looks;
use Tusk\Bench\Student;
use Tusk\Bench\Verdict;

#[CoversClass(Comparison::class)]
#[CoversClass(Student::class)]
#[CoversClass(BlockOrder::class)]
#[CoversClass(Looks::class)]
final class ComparisonTest extends TestCase
{
    public function testStudentsQuantilesAreThoseOfTheTables(): void
    {
        foreach ([1 => 12.706, 2 => 4.303, 3 => 3.182, 4 => 2.776, 5 => 2.571, 6 => 2.447, 7 => 2.365, 9 => 2.262, 11 => 2.201, 19 => 2.093, 29 => 2.045] as $degrees => $t) {
            self::assertEqualsWithDelta($t, Student::quantile($degrees), 0.001, "$degrees degrees of freedom");
        }
    }

    /** @param list<float> $ratios B / A of each pair */
    #[DataProvider('cases')]
    public function testTheVerdictFollowsTheInterval(array $ratios, bool $lowerIsBetter, Verdict $verdict): void
    {
        $pairs = array_map(static fn (float $ratio): array => [1000.0, 1000.0 * $ratio], $ratios);

        self::assertSame($verdict, (new Comparison($pairs, $lowerIsBetter))->verdict());
    }

    /** @return iterable<string, array{list<float>, bool, Verdict}> */
    public static function cases(): iterable
    {
        yield 'a tenth slower' => [[0.90, 0.91, 0.89, 0.90, 0.905, 0.895], false, Verdict::Worse];
        yield 'a tenth longer' => [[1.10, 1.11, 1.09, 1.10, 1.12, 1.08], true, Verdict::Worse];
        yield 'a tenth faster' => [[1.10, 1.11, 1.09, 1.10, 1.12, 1.08], false, Verdict::Better];
        yield 'the same twice' => [[1.0, 1.001, 0.999, 1.002, 0.998, 1.0], false, Verdict::Same];
        yield 'surely different, but by too little to count' => [[1.012, 1.0121, 1.0119, 1.012], false, Verdict::Same];
        yield 'too wide to say' => [[0.9, 1.1, 1.0, 0.95], false, Verdict::Undecided];
        yield 'one pair says nothing' => [[0.5], false, Verdict::Undecided];
    }

    public function testTheIntervalIsTheBooks(): void
    {
        $comparison = new Comparison([[100.0, 110.0], [100.0, 108.0], [100.0, 112.0]], false);

        self::assertEqualsWithDelta(1.09988, $comparison->ratio, 1e-4);
        self::assertEqualsWithDelta(1.0513, $comparison->low, 1e-3);
        self::assertEqualsWithDelta(1.1508, $comparison->high, 1e-3);
        self::assertSame(0.25, $comparison->chance, 'two of the eight sign patterns: all as they are, and all flipped');
    }

    public function testPairsForEightyPercentPower(): void
    {
        $spread = static fn (float $sd): array => [[1.0, exp($sd / M_SQRT2)], [1.0, exp(-$sd / M_SQRT2)]];

        self::assertSame(8, (new Comparison($spread(0.01), false, 0.01))->pairsNeeded());
        self::assertSame(72, (new Comparison($spread(0.03), false, 0.01))->pairsNeeded());
        self::assertSame(2, (new Comparison($spread(0.02), false, 0.05))->pairsNeeded());
    }

    /** @param list<array{float, float}> $pairs */
    #[DataProvider('boundless')]
    public function testAnIntervalWithoutBoundsIsTold(array $pairs): void
    {
        $comparison = new Comparison($pairs, true, confidence: 0.999);

        self::assertSame(Verdict::Undecided, $comparison->verdict());
        self::assertInfinite($comparison->resolution());
        self::assertGreaterThanOrEqual(2, $comparison->pairsNeeded());
        $told = json_decode(json_encode($comparison->toArray(), JSON_THROW_ON_ERROR), true);
        self::assertIsArray($told);
        self::assertSame([null, null], [$told['low'], $told['high']]);
    }

    /** @return iterable<string, array{list<array{float, float}>}> */
    public static function boundless(): iterable
    {
        yield 'one pair' => [[[1.0, 2.0]]];
        yield 'two, a microsecond and ten seconds' => [[[1e3, 1e10], [1e10, 1e3]]];
        yield 'beyond what numbers hold' => [[[1e-300, 1e300], [1e-300, 1e300], [1e300, 1e-300]]];
    }

    /** @param list<array{float, float}> $pair */
    #[DataProvider('nothing')]
    public function testWhatIsNoFigureIsRefused(array $pair): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage('only figures over 0 can be compared');
        new Comparison($pair, false);
    }

    /** @return iterable<string, array{list<array{float, float}>}> */
    public static function nothing(): iterable
    {
        yield 'zero' => [[[0.0, 1.0]]];
        yield 'infinite' => [[[1.0, INF]]];
        yield 'not a number' => [[[NAN, 1.0]]];
    }

    public function testBlocksOfAPairAlternateTheirOrder(): void
    {
        self::assertSame(['A', 'B', 'B', 'A', 'A', 'B'], BlockOrder::of(3, 7));
    }

    public function testLotsSayWhichSideOfAPairGoesFirstTwoOfEachInFour(): void
    {
        $orders = [];
        for ($seed = 0; $seed < 50; $seed++) {
            $order = BlockOrder::of(10, $seed);
            self::assertCount(20, $order);
            self::assertSame(array_slice($order, 0, 6), BlockOrder::of(3, $seed), 'who goes on goes on in the same order');
            foreach (array_slice(array_chunk($order, 8), 0, 2) as $four) {
                $firsts = array_count_values([$four[0], $four[2], $four[4], $four[6]]);
                self::assertSame([2, 2], [$firsts['A'], $firsts['B']]);
                self::assertSame(['A', 'B'], array_values(array_unique([min($four[0], $four[1]), max($four[0], $four[1])])));
            }
            $orders[implode('', $order)] = true;
        }
        self::assertGreaterThan(25, count($orders), 'another seed, another order');
    }

    public function testOutliersAtBothEndsDoNotWidenARobustInterval(): void
    {
        $ratios = [0.898, 0.899, 0.9, 0.9, 0.9, 0.9, 0.9, 0.901, 0.902, 0.9, 3.0, 0.3];
        $pairs = array_map(static fn (float $ratio): array => [1000.0, 1000.0 * $ratio], $ratios);
        $robust = new Comparison($pairs, false);

        self::assertSame(Verdict::Worse, $robust->verdict());
        self::assertEqualsWithDelta(0.9, $robust->ratio, 1e-3);
        self::assertLessThan(0.01, $robust->resolution());
        self::assertSame(Verdict::Undecided, (new Comparison($pairs, false, trimmed: 0.0))->verdict());
        $nine = array_slice($pairs, 0, 9);
        self::assertEquals((new Comparison($nine, false, trimmed: 0.0))->high, (new Comparison($nine, false))->high, 'nine have no tenth to leave out');
    }

    /** TOST: each side with the whole 5 %, which is the 90 % interval. */
    public function testSameIsTwoOneSidedTests(): void
    {
        $logs = [-0.03, 0.03, -0.02, 0.02, -0.01, 0.01, 0.0, 0.0];
        $comparison = new Comparison(array_map(static fn (float $log): array => [1.0, exp($log)], $logs), false, 0.05);
        $error = sqrt(array_sum(array_map(static fn (float $log): float => $log ** 2, $logs)) / 7 / 8);

        self::assertEqualsWithDelta(exp(1.8946 * $error) - 1, $comparison->within, 1e-5);
        self::assertSame(Verdict::Same, $comparison->verdict());
        self::assertSame(Verdict::Undecided, (new Comparison($comparison->pairs, false, $comparison->within - 1e-6))->verdict());
    }

    public function testWhoLooksSeveralTimesLooksWhenThePairsHaveDoubledAndAsksForMore(): void
    {
        $looks = new Looks(8, 50);

        self::assertSame([8, 16, 32, 50], $looks->at);
        self::assertSame([false, true, false], array_map($looks->isOne(...), [7, 50, 64]));
        self::assertEqualsWithDelta(0.9875, $looks->confidence(), 1e-9);
        self::assertSame([8], (new Looks(8, 8))->at);
        self::assertEqualsWithDelta(0.95, (new Looks(8, 8))->confidence(), 1e-9);
    }

    /**
     * Comparisons as `tusk bench ab --pairs 8 --most 128 --effect 5%` makes them, on a machine in moods: each lasts some blocks and
     * makes everything faster or slower, every twentieth block is far off, and single blocks scatter.
     *
     * @return array<string, float> share of each verdict
     */
    private static function verdicts(float $ratio, float $spread, int $runs): array
    {
        $looks = new Looks(8, 128);
        $random = new \Random\Randomizer(new \Random\Engine\Mt19937(7));
        $normal = static fn (): float => sqrt(-2 * log($random->getInt(1, 1 << 30) / (1 << 30))) * cos(2 * M_PI * $random->getInt(0, 1 << 30) / (1 << 30));
        $found = array_fill_keys(array_column(Verdict::cases(), 'value'), 0);
        for ($run = 0; $run < $runs; $run++) {
            $order = BlockOrder::of(128, $run);
            $pairs = $pair = [];
            $mood = $spread * $normal();
            $verdict = Verdict::Undecided;
            foreach ($order as $side) {
                $mood = $random->getInt(1, 4) === 1 ? $spread * $normal() : $mood;
                $noise = $mood + $spread / 2 * $normal() * ($random->getInt(1, 20) === 1 ? 6 : 1);
                $pair[$side] = 1000 * exp($noise) * ($side === 'B' ? $ratio : 1);
                if (!isset($pair['A'], $pair['B'])) {
                    continue;
                }
                $pairs[] = [$pair['A'], $pair['B']];
                $pair = [];
                if ($looks->isOne(count($pairs))) {
                    $verdict = (new Comparison($pairs, false, 0.05, $looks->confidence()))->verdict();
                }
                if ($verdict !== Verdict::Undecided) {
                    break;
                }
            }
            $found[$verdict->value]++;
        }

        return array_map(static fn (int $times): float => $times / $runs, $found);
    }

    /** Spread of a block; that of a pair is somewhat more. */
    #[DataProvider('spreads')]
    public function testEqualsAreSeldomCalledDifferentAndATenthSlowerIsFound(float $spread, float $same): void
    {
        $equals = self::verdicts(1.0, $spread, 300);
        self::assertLessThanOrEqual(0.05, $equals['better'] + $equals['worse'], (string) json_encode($equals));
        self::assertGreaterThanOrEqual($same, $equals['same'], (string) json_encode($equals));
        $slower = self::verdicts(0.9, $spread, 300);
        self::assertGreaterThanOrEqual(0.95, $slower['worse'], (string) json_encode($slower));
        self::assertLessThanOrEqual(0.01, $slower['same'] + $slower['better'], (string) json_encode($slower));
    }

    /** @return iterable<string, array{float, float}> */
    public static function spreads(): iterable
    {
        yield '5 %' => [0.05, 0.95];
        yield '8 %' => [0.08, 0.95];
        yield '12 %' => [0.12, 0.80];
    }

    /** 600 comparisons of equals with a spread of 5 %, looked at up to four times: a difference is seen in 1 of 20 at most. */
    public function testLookingOftenFindsNoDifferenceWhereThereIsNone(): void
    {
        $looks = new Looks(8, 64);
        $random = new \Random\Randomizer(new \Random\Engine\Mt19937(7));
        $found = 0;
        for ($run = 0; $run < 600; $run++) {
            $pairs = [];
            for ($verdict = Verdict::Undecided; $verdict === Verdict::Undecided && count($pairs) < 64;) {
                $normal = sqrt(-2 * log($random->getInt(1, 1 << 30) / (1 << 30))) * cos(2 * M_PI * $random->getInt(0, 1 << 30) / (1 << 30));
                $pairs[] = [1000.0, 1000.0 * exp(0.05 * $normal)];
                $verdict = $looks->isOne(count($pairs)) ? (new Comparison($pairs, false, 0.005, $looks->confidence()))->verdict() : $verdict;
            }
            $found += in_array($verdict, [Verdict::Better, Verdict::Worse], true) ? 1 : 0;
        }

        self::assertLessThanOrEqual(30, $found);
        self::assertGreaterThan(0, $found, 'or nothing could ever be found');
    }

    public function testFiguresOfZeroCannotBeCompared(): void
    {
        $this->expectException(\ValueError::class);
        new Comparison([[1.0, 0.0]], false);
    }
}
