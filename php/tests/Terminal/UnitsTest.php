<?php

declare(strict_types=1);

namespace Tusk\Tests\Terminal;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Terminal\Units;

#[CoversClass(Units::class)]
final class UnitsTest extends TestCase
{
    public function testTimesNumbersAndSizesAreReadAsPeopleWriteThem(): void
    {
        self::assertSame([0.5, 2.0, 90.0, 3600.0], array_map(Units::seconds(...), ['500ms', '2', '1.5m', '1h']));
        self::assertSame([10_000.0, 1_500_000.0, 0.02, 1_000.0], array_map(Units::number(...), ['10k', '1.5M', '2%', '1_000']));
        self::assertSame([64, 4096, 1 << 20, 1_000_000], array_map(Units::bytes(...), ['64', '4KiB', '1MiB', '1MB']));
        self::assertSame([1500, 2000, 60_000, 250], array_map(Units::milliseconds(...), ['1.5s', '2', '1M', '250ms']));
        self::assertSame([2, 2000], [Units::milliseconds('2', 'ms'), Units::milliseconds('2s', 'ms')]);
        self::assertSame([0, 500, 10_000, 1_500_000], array_map(Units::count(...), ['0', '500', '10k', '1.5M']));
        self::assertTrue(Units::isTime('20 ms'));
        self::assertFalse(Units::isTime('20'));
    }

    /** @param callable(string): mixed $read */
    #[DataProvider('nonsense')]
    public function testNonsenseIsNamed(callable $read, string $text): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage("\"$text\" is not");
        $read($text);
    }

    /** @return iterable<array{callable(string): mixed, string}> */
    public static function nonsense(): iterable
    {
        yield [Units::seconds(...), 'soon'];
        yield [Units::seconds(...), '10 KiB'];
        yield [Units::number(...), '10ms'];
        yield [Units::milliseconds(...), '0.5ms'];
        yield [Units::milliseconds(...), '-1s'];
        yield [Units::milliseconds(...), '5 apples'];
        yield [Units::count(...), '1.5'];
        yield [Units::count(...), '-1'];
        yield [Units::count(...), '999999999G'];
        yield [Units::bytes(...), '-1'];
        yield [Units::bytes(...), '1s'];
        yield [Units::bytes(...), ''];
    }

    public function testFiguresAreWrittenWithThreeDigitsAndAUnit(): void
    {
        self::assertSame(['950 ns', '1.50 µs', '12.3 ms', '1.00 s', '123 s'], array_map(Units::duration(...), [950, 1500, 12_345_678, 1e9, 123e9]));
        self::assertSame(['0', '97', '4,210', '81.2k', '1.24M', '0.93'], array_map(Units::short(...), [0, 97, 4210, 81_234, 1_240_000, 0.93]));
        self::assertSame(['64 B', '1.50 KiB', '24.0 MiB'], array_map(Units::size(...), [64, 1536, 24 << 20]));
    }
}
