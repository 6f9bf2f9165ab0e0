<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Bench\Metric;
use Tusk\Bench\Mode;
use Tusk\Bench\Threshold;

#[CoversClass(Threshold::class)]
#[CoversClass(Metric::class)]
final class ThresholdTest extends BenchCase
{
    #[DataProvider('checks')]
    public function testThresholdsHoldOrNot(string $text, bool $holds, string $said): void
    {
        $recording = new Recording(length: 2, counters: ['failed_refused' => 2, 'expected' => 4000], more: ['upgrade' => array_fill(0, 100, 3_000_000)]);
        $outcome = Threshold::parse($text, Mode::WsEcho)->check(self::measured($recording));

        self::assertSame($holds, $outcome->holds, $outcome->text);
        self::assertStringContainsString($said, $outcome->text);
    }

    /** @return iterable<array{string, bool, string}> */
    public static function checks(): iterable
    {
        yield ['p99 < 20ms', true, 'p99 is'];
        yield ['p99 < 1us', false, 'p99 < 1us: p99 is'];
        yield ['rate >= 1k', true, 'rate is 1,000'];
        yield ['rate>2k', false, 'rate is 1,000'];
        yield ['errors == 0', false, 'errors is 2'];
        yield ['errors = 2', true, 'errors is 2'];
        yield ['failed_refused != 2', false, 'failed_refused is 2'];
        yield ['upgrade.p90 <= 3.01 ms', true, 'upgrade.p90 is 3.00 ms'];
        yield ['upgrade.p99.9 < 1s', false, 'there is no upgrade.p99.9 in this result (100 samples; it needs 10,000)'];
        yield ['tls.mean < 1s', false, 'no sample of tls'];
        yield ['upgrade.count > 99', true, 'upgrade.count is 100'];
        yield ['reach > 40%', true, 'reach is 0.50'];
        yield ['server.rss < 100MiB', false, 'give --pid'];
        yield ['generator.per_cpu_second > 1', true, 'generator.per_cpu_second is'];
        yield ['bandwidth > 1KiB', true, 'bandwidth is 125 KiB'];
    }

    #[DataProvider('mistakes')]
    public function testMistakesAreExplained(string $text, string $said): void
    {
        try {
            Threshold::parse($text, Mode::WsEcho);
            self::fail("taken: $text");
        } catch (\ValueError $fault) {
            self::assertStringContainsString($said, $fault->getMessage());
        }
    }

    /** @return iterable<array{string, string}> */
    public static function mistakes(): iterable
    {
        yield ['p99', "is not METRIC < LIMIT, such as 'p99 < 20ms'"];
        yield ['speed > 5', 'there is no metric "speed"; there are:'];
        yield ['speed > 5', 'failed_refused'];
        yield ['erors < 5', 'there is no metric "erors": did you mean "errors"?'];
        yield ['p101 < 5ms', 'there is no metric "p101"'];
        yield ['nothing.p99 < 5ms', 'there is no metric "nothing.p99"'];
        yield ['p99 < 20', 'p99 is a time: give its limit a unit, such as 20ms'];
        yield ['p99 < 3 apples', 'such as 20ms, "3 apples" given'];
        yield ['rate > fast', '"fast" is not'];
    }

    public function testTheListOfMetricsFitsATerminal(): void
    {
        foreach (explode("\n", Metric::list()) as $line) {
            self::assertLessThanOrEqual(80, strlen($line));
        }
    }

    public function testAPercentileWithoutANameIsTheModesHeadline(): void
    {
        $result = self::measured(new Recording(more: ['delivery' => array_fill(0, 1000, 5_000_000)]), [], Mode::Fanout);

        self::assertStringContainsString('p50 is 5.00 ms', Threshold::parse('p50 < 1s', Mode::Fanout)->check($result)->text);
    }
}
