<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use Tusk\Bench\Mode;
use Tusk\Bench\Report\Figures;
use Tusk\Bench\Report\Html;
use Tusk\Bench\Report\Markdown;
use Tusk\Bench\Report\Svg\Canvas;
use Tusk\Bench\Report\Svg\HeatMap;
use Tusk\Bench\Report\Svg\Ridges;
use Tusk\Bench\Report\Svg\Scale;
use Tusk\Bench\Report\Svg\Spectrum;
use Tusk\Bench\Report\Svg\Timeline;
use Tusk\Bench\Report\Text;
use Tusk\Bench\Result;
use Tusk\Bench\Threshold;
use Tusk\Terminal\Markdown as Words;
use Tusk\Terminal\Table;

/** The reports as text; tests/Bench/browser looks at the page. */
#[CoversClass(Html::class)]
#[CoversClass(Text::class)]
#[CoversClass(Markdown::class)]
#[CoversClass(Words::class)]
#[CoversClass(Table::class)]
#[CoversClass(Figures::class)]
#[CoversClass(Canvas::class)]
#[CoversClass(HeatMap::class)]
#[CoversClass(Ridges::class)]
#[CoversClass(Spectrum::class)]
#[CoversClass(Timeline::class)]
#[CoversClass(Scale::class)]
final class HtmlTest extends BenchCase
{
    private static function rich(): Result
    {
        $result = self::measured(new Recording(
            counters: ['failed_reset' => 3, 'connected' => 10, 'resumed_tls' => 9, 'expected' => 6000],
            more: ['tls' => [2_000_000, 3_000_000], 'upgrade' => [400_000, 500_000], 'late' => array_fill(0, 2000, 20_000), 'hiccup' => [50_000, 90_000]],
        ), ['rate' => '1k']);

        return $result->with([Threshold::parse('p99 < 1ms', Mode::WsEcho)->check($result), Threshold::parse('rate > 10', Mode::WsEcho)->check($result)]);
    }

    public function testThePageIsWellFormedAndNeedsNothingElse(): void
    {
        $html = Html::write(self::rich());
        $body = substr($html, (int) strpos($html, '<main>'), (int) strpos($html, '</main>') - (int) strpos($html, '<main>') + 7);

        self::assertNotFalse(simplexml_load_string($body), 'every element is closed');
        self::assertDoesNotMatchRegularExpression('~<script|<link|<img|url\(|@import|(?:src|href)=~', $html);
        self::assertStringContainsString('errors: 3 connections reset', $html);
        self::assertStringContainsString('p99 &lt; 1ms: p99 is', $html);
        foreach (['Latency over time', 'Percentiles', 'Throughput', 'Where the time goes', 'Phases of a connection', 'Latencies', 'Thresholds'] as $heading) {
            self::assertStringContainsString("<h2>$heading</h2>", $html);
        }
    }

    public function testThePlanHasUnitsAndSaysWhatZeroStandsFor(): void
    {
        $html = Html::write(self::measured(new Recording(), ['rate' => '1k', 'duration' => '1500ms', 'size' => '2KiB', 'workers' => '0', 'think' => '0', 'verify' => true, 'arrivals' => 'poisson', 'of-a-later-version' => '7']));
        self::assertSame(1, preg_match('~<h2>Plan</h2>(.*?)</section>~s', $html, $m));
        preg_match_all('~<dt>(.*?)</dt><dd>(.*?)</dd>~', $m[1] ?? '', $pairs);
        $plan = array_combine($pairs[1], $pairs[2]);

        self::assertSame(
            ['1,000/s', '1.50 s', '2.00 KiB', 'as descriptors ask for', '0 s', 'yes', 'poisson', '7'],
            array_map(static fn (string $name): ?string => $plan[$name] ?? null, ['rate', 'duration', 'size', 'workers', 'think', 'verify', 'arrivals', 'of-a-later-version']),
        );
    }

    public function testWhatWasTypedCannotBecomeMarkup(): void
    {
        $html = Html::write(self::measured(new Recording(error: '</style><b>'), ['header' => '<i>x</i>'], url: 'ws://127.0.0.1/?<script>"'));

        self::assertStringNotContainsString('<script>', $html);
        self::assertStringNotContainsString('<i>x', $html);
        self::assertStringContainsString('ws://127.0.0.1/?&lt;script&gt;&quot;', $html);
        self::assertSame(1, substr_count($html, '</style>'));
    }

    public function testARunWithoutAnythingHasAPageToo(): void
    {
        $html = Html::write(self::measured(new Recording(length: 0, rate: 0, counters: ['failed_refused' => 5])));

        self::assertStringContainsString('NOT VALID', $html);
        self::assertStringContainsString('5 connections refused', $html);
        self::assertStringNotContainsString('<svg', $html);
    }

    public function testTextTellsWhatMatters(): void
    {
        $text = Text::write(self::rich());

        foreach ([
            "NOT VALID\n  - errors: 3 connections reset\n",
            'open model, 1,000 planned/s',
            "  reach        100 % of 6,000 deliveries\n",
            '  noise floor  this machine wakes a sleeper - late (p50), - (p99), 90.0 µs at most',
            "  generator    1 worker,",
            "  tls          TLSv1.3 , 9 of 10 handshakes resumed\n",
            '  BROKEN p99 < 1ms: p99 is 4.42 ms',
            '  holds  rate > 10: rate is 1,000',
        ] as $line) {
            self::assertStringContainsString($line, $text);
        }
    }

    public function testMarkdownIsATableWithTheCommand(): void
    {
        $text = Markdown::write(self::rich());

        self::assertStringStartsWith("## NOT VALID: `ws-echo ws://127.0.0.1:9001/`\n\n- **errors: 3 connections reset**\n", $text);
        self::assertMatchesRegularExpression('~^\|  \| count \| min \| p50 ~m', $text);
        self::assertMatchesRegularExpression('~^\|---\|--:\|~m', $text);
        self::assertStringContainsString("- [ ] p99 < 1ms: p99 is 4.42 ms\n- [x] rate > 10", $text);
        self::assertStringEndsWith("```\ntusk bench ws-echo ws://127.0.0.1:9001/\n```\n", $text);
    }

    public function testWhatWasTypedIsNoMarkdownEither(): void
    {
        $result = self::measured(new Recording(error: "**x** <img src=x> [a](b) `c`\n# d"), [], url: 'ws://127.0.0.1/?`<b>`');
        $text = Markdown::write($result);

        self::assertStringStartsWith('## NOT VALID: `` ws-echo ws://127.0.0.1/?`<b>` ``' . "\n", $text);
        self::assertStringContainsString('\*\*x\*\* \<img src=x> \[a\](b) \`c\` # d', $text);
        self::assertStringContainsString("\n```\ntusk bench ws-echo", $text);
        self::assertSame("| a\\\\\\|b \\<br> |\n|---|\n| 1 < 2, per_cpu_second, \\&lt; |\n", Table::markdown([['a\\|b <br>'], ['1 < 2, per_cpu_second, &lt;']]), 'a cell stays one cell');
        self::assertSame("````\na ``` b\n````\n", Words::block('a ``` b'));
    }

    public function testScalesHaveRoundTicks(): void
    {
        self::assertSame([0.0, 500.0, 1000.0, 1500.0], Scale::linear(1300, 0, 100)->ticks());
        self::assertSame([1e6, 1e7, 1e8], Scale::log(900_000, 2e8, 0, 100)->ticks(4));
        self::assertSame([100.0, 200.0, 500.0], Scale::log(90, 600, 0, 100)->ticks());
        self::assertSame(50.0, Scale::log(1, 100, 0, 100)->at(10));
        self::assertSame(100.0, Scale::linear(10, 0, 100)->at(1e9), 'nothing leaves its drawing');
        self::assertEqualsWithDelta(10.0, Scale::log(1, 100, 0, 100)->value(0.5), 1e-9);
    }

    public function testLongRunsAreDrawnInAsManyColumnsAsThereIsRoomFor(): void
    {
        $second = self::measured()->intervals[0];
        $intervals = array_map(static fn (int $i): \Tusk\Bench\Interval => new \Tusk\Bench\Interval(
            (float) $i,
            1.0,
            'measure',
            $second->counters,
            $second->count,
            $second->p50,
            $second->p90,
            $second->p99,
            $second->max,
            $second->hdr,
        ), range(0, 399));
        $svg = HeatMap::draw($intervals, 340, 240)->svg('slim', 'x');

        self::assertLessThan(2500, substr_count($svg, '<rect'));
        preg_match_all('~: ([\d,]+) answers~', $svg, $counts);
        self::assertSame(400_000, array_sum(array_map(static fn (string $count): int => (int) str_replace(',', '', $count), $counts[1])), 'no answer is left out');
    }

    public function testARidgeIsAsHighAsItsRowWhereMostAnswersAre(): void
    {
        $svg = Ridges::draw(['response' => [self::measured()->headline(), 'c1']], 600)->svg('wide', 'x');
        self::assertSame(1, preg_match('~class="area strong c1" d="M([^"]+)L[\d. ]+L[\d. ]+Z"~', $svg, $area));
        $points = array_map(static fn (string $point): array => array_map(floatval(...), explode(' ', $point)), explode('L', $area[1] ?? ''));
        self::assertCount(92, $points, 'both ends, and a point for each of 90 bins');
        $heights = array_map(static fn (array $point): float => 58.0 - $point[1], $points); // of one row, below a margin of 12
        self::assertEqualsWithDelta(34.0, max($heights), 0.1);
        self::assertEqualsWithDelta(0.0, min($heights), 0.1);
        self::assertSame([0.0, 0.0], [$heights[0], $heights[91]]);
        $across = array_column($points, 0);
        $sorted = $across;
        sort($sorted);
        self::assertSame($sorted, $across);
    }
}
