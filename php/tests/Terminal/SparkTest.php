<?php

declare(strict_types=1);

namespace Tusk\Tests\Terminal;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Tusk\Terminal\Spark;

#[CoversClass(Spark::class)]
final class SparkTest extends TestCase
{
    public function testTheHighestFillsItsCellAndNothingIsTheLowestBar(): void
    {
        self::assertSame('▁▂▃▄▅▆▇█', Spark::line([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 8));
        self::assertSame('▁█▄', Spark::line([0.0, 1e-9, 5e-10], 8));
        self::assertSame('▁▁', Spark::line([0.0, 0.0], 8));
        self::assertSame('', Spark::line([], 8));
    }

    public function testTheLastValuesAreShown(): void
    {
        self::assertSame('▄█', Spark::line([900.0, 1.0, 2.0], 2));
    }

    public function testABarIsCutWhereThereIsLessThanNothingOrMoreThanAll(): void
    {
        self::assertSame(['────', '━━──', '━━━━', '────', '━━━━'], array_map(static fn (float $part): string => Spark::bar($part, 4), [0.0, 0.5, 1.0, -1.0, 7.0]));
    }
}
