<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Bench\Hdr;
use Tusk\Bench\HdrLog;
use Tusk\Bench\HdrLogEntry;
use Tusk\Bench\Hgrm;
use Tusk\Bench\Histogram;

#[CoversClass(Hdr::class)]
#[CoversClass(HdrLog::class)]
#[CoversClass(HdrLogEntry::class)]
#[CoversClass(Hgrm::class)]
final class HdrTest extends BenchCase
{
    private const VALUES = [1, 1000, 1000, 2047, 2048, 4096, 123456, 1000000];
    private const VECTOR = 'HISTFAAAADF4nJNpmSzMwMAgxAABzFCaEURcm7yEwf4DVIDpND/LagEmpr/8TP1+TGsNmADOQAkF';

    private static function vector(): Histogram
    {
        $histogram = new Histogram(1, 3_600_000_000, 3);
        foreach (self::VALUES as $value) {
            $histogram->record($value);
        }

        return $histogram;
    }

    public function testTheFieldsVectorIsReadAndWritten(): void
    {
        $read = Hdr::unpack(self::VECTOR);

        self::assertSame([8, 2047, 1000447, 1000447], [$read->count(), $read->percentile(50), $read->percentile(90), $read->percentile(99)]);
        self::assertSame($read->encode(), self::vector()->encode());
        self::assertStringStartsWith('HISTFA', Hdr::pack(self::vector()));
        self::assertSame($read->slots(), Hdr::unpack(Hdr::pack(self::vector()))->slots());
    }

    #[DataProvider('damaged')]
    public function testDamagedTextIsRefused(string $text): void
    {
        $this->expectException(\ValueError::class);
        Hdr::unpack($text);
    }

    /** @return iterable<string, array{string}> */
    public static function damaged(): iterable
    {
        $packed = static fn (string $stream): string => base64_encode(pack('NN', 0x1C849314, strlen($stream)) . $stream);
        yield 'no base64' => ['HIST*'];
        yield 'too short' => ['HIST'];
        yield 'another cookie' => [base64_encode(str_repeat('x', 40))];
        yield 'cut' => [substr(self::VECTOR, 0, -8)];
        yield 'a stream of something else' => [$packed((string) gzcompress('hello'))];
        yield 'a stream that is damaged' => [$packed('abcd')];
        yield 'a stream that grows' => [$packed((string) gzcompress(str_repeat("\0", 8 << 20)))];
    }

    public function testALogComesBackWithTagsAndTimes(): void
    {
        $text = HdrLog::write(1_700_000_000.5, [new HdrLogEntry(0, 1, self::vector(), 'warmup'), new HdrLogEntry(1, 0.75, self::vector())], "two\nlines]");
        $log = HdrLog::read($text);

        self::assertStringContainsString("#[Histogram log format version 1.3]\n", $text);
        self::assertStringContainsString("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\nTag=warmup,0.000,1.000,1.000,HIST", $text);
        self::assertSame(1_700_000_000.5, $log['startTime']);
        self::assertSame([[0.0, 1.0, 'warmup'], [1.0, 0.75, null]], array_map(
            static fn (HdrLogEntry $entry): array => [$entry->start, $entry->length, $entry->tag],
            $log['entries'],
        ));
        self::assertSame(self::vector()->slots(), $log['entries'][1]->histogram->slots());
    }

    public function testAbsoluteStartsAndBaseTimesAreUnderstood(): void
    {
        $line = ',1.000,1.000,' . self::VECTOR . "\n";

        self::assertSame(5.0, HdrLog::read("#[StartTime: 1700000000 (seconds since epoch), x]\n1700000005.000$line")['entries'][0]->start);
        self::assertSame(7.0, HdrLog::read("#[StartTime: 1700000000 x]\n#[BaseTime: 1700000002 x]\r\n5.000$line")['entries'][0]->start);
    }

    public function testABadLineOfALogIsNamed(): void
    {
        $this->expectExceptionMessage('line 2: not [Tag=name,]start,length,max,histogram');
        HdrLog::read("#[Histogram log format version 1.3]\nwhat is this\n");
    }

    public function testATagHoldsNoComma(): void
    {
        $this->expectException(\ValueError::class);
        new HdrLogEntry(0, 1, self::vector(), 'a,b');
    }

    public function testThePercentileTextIsTheFields(): void
    {
        $lines = explode("\n", Hgrm::write(self::vector(), 1e3));

        self::assertSame('       Value     Percentile TotalCount 1/(1-Percentile)', $lines[0]);
        self::assertSame('       0.001 0.000000000000          1           1.00', $lines[2]);
        self::assertSame('       2.047 0.500000000000          4           2.00', $lines[7]);
        self::assertSame('    1000.000 1.000000000000          8', $lines[19]);
        self::assertSame('#[Max     =     1000.000, Total count    =            8]', $lines[21]);
        self::assertSame('#[Buckets =           22, SubBuckets     =         2048]', $lines[22]);
    }

    public function testAnEmptyHistogramHasNoRows(): void
    {
        self::assertSame([], Hgrm::rows(new Histogram()));
        self::assertStringContainsString('Total count    =            0', Hgrm::write(new Histogram()));
    }
}
