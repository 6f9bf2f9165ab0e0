<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench\Wsperf;

use Tusk\Bench\Histogram;
use Tusk\Bench\Wsperf\Bins;
use Tusk\Tests\Bench\BenchCase;

/** wsperf's statistics, on values that a histogram keeps exactly (up to 2047). */
final class BinsTest extends BenchCase
{
    public function testMedianIsTheElementBelowTheMiddle(): void
    {
        self::assertSame(20, self::bins(30, 10, 20)->median());
        self::assertSame(20, self::bins(40, 30, 10, 20)->median());
        self::assertSame(0, self::bins()->median());
    }

    public function testDeviationDividesByOneLess(): void
    {
        self::assertEqualsWithDelta(10.0, self::bins(10, 20, 30)->deviation(), 0.05);
        self::assertSame(0.0, self::bins(10)->deviation());
    }

    public function testBinsAreOfEqualPopulationAndTheLastTakesTheRest(): void
    {
        self::assertSame([[1.5, 2], [3.5, 4], [6.0, 7]], self::bins(1, 2, 3, 4, 5, 6, 7)->equal(3));
        self::assertSame([[5.0, 5], [5.0, 5]], self::bins(5, 5, 5, 5)->equal(2));
        self::assertSame([[0.0, 0], [0.0, 0], [1.5, 2]], self::bins(1, 2)->equal(3), 'as many as were asked for');
        self::assertSame([[1.0, 1], [2.0, 2]], self::bins(1, 2)->equal(2));
        self::assertSame([[0.0, 0], [0.0, 0]], self::bins()->equal(2));
        self::assertSame([], self::bins(1, 2)->equal(0));
    }

    public function testSamplesAscend(): void
    {
        self::assertSame([1, 1, 2, 9], self::bins(9, 1, 2, 1)->samples());
    }

    private static function bins(int ...$values): Bins
    {
        $histogram = new Histogram();
        foreach ($values as $value) {
            $histogram->record($value);
        }

        return new Bins($histogram);
    }
}
