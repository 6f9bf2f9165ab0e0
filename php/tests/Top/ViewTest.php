<?php

declare(strict_types=1);

namespace Tusk\Tests\Top;

use PHPUnit\Framework\TestCase;
use Tusk\Top\Document;
use Tusk\Top\Sample;
use Tusk\Top\Text;
use Tusk\Top\Unreadable;
use Tusk\Top\View;

final class ViewTest extends TestCase
{
    private static function sample(int $times, float $at): Sample
    {
        $metrics = require __DIR__ . '/metrics.php';
        self::assertIsCallable($metrics);
        $text = $metrics($times);
        self::assertIsString($text);

        return Sample::parse($text, 'here', $at);
    }

    public function testRatesAreOfTheTimeThatPassedWhateverTheDateSays(): void
    {
        $before = Sample::parse("tusk_server_requests_total 10\n", 'here', 1000.0, 5.0);
        $now = Sample::parse("tusk_server_requests_total 30\n", 'here', 400.0, 7.0);
        self::assertSame(10.0, (new View($now, $before))->rate('requests'));
    }

    public function testWhatAStrangerAnswersReachesNeitherTheTerminalNorBreaksTheDocument(): void
    {
        $name = "\e]0;x\x07\xFF\u{202E}";
        $text = "tusk_proxy_clients 1e999\ntusk_proxy_accepted_total 7\ntusk_proxy_other 1e308\ntusk_proxy_odd NaN\ntusk_proxy_odder +Inf\ntusk_proxy_oddest 7x\ntusk_proxy_ 7\n";
        foreach (['limit_used{limit', 'limit_bound{limit', 'target_active{target', 'route_active{route'] as $family) {
            $text .= "tusk_proxy_$family=\"$name\"} 1\n";
        }
        $view = new View(Sample::parse($text, 'here', 10.0), null);
        $shown = implode("\n", (new Text())->lines($view, 'here'));

        self::assertDoesNotMatchRegularExpression('~[^\P{C}\n]~u', $shown);
        self::assertStringContainsString('?]0;x???', $shown);
        $document = json_decode(json_encode(Document::of($view, 'here'), JSON_THROW_ON_ERROR), true);
        self::assertIsArray($document);
        self::assertSame(['accepted' => 7], $document['totals']);
        self::assertSame(['other' => 1e308], $document['gauges']);
    }

    public function testRatesAreOfTheTimeBetweenTwoSamples(): void
    {
        $view = new View(self::sample(3, 12.0), self::sample(1, 10.0));

        self::assertSame(100.0, $view->rate('accepted'));
    }

    public function testWithoutAnEarlierSampleThereAreNoRates(): void
    {
        $view = new View(self::sample(3, 12.0), null);

        self::assertNull($view->rate('accepted'));
        self::assertNull(Document::of($view, 'here')['rates']);
        self::assertStringContainsString('- new', implode("\n", (new Text())->lines($view, 'here')));
    }

    public function testACounterThatFellIsOfAnotherProcessAndHasNoRate(): void
    {
        self::assertNull((new View(self::sample(1, 12.0), self::sample(3, 10.0)))->rate('accepted'));
    }

    public function testLimitsStandByHowFullTheyAreAndWithoutABoundNotAtAll(): void
    {
        $limits = (new View(self::sample(1, 1.0), null))->limits();

        self::assertSame(['connections', 'routes'], array_column($limits, 'name'));
        self::assertSame(0.9, $limits[0]['share']);
    }

    public function testTroubleIsWhatRefusesAndIsNotZero(): void
    {
        self::assertSame(['refused_limit'], array_column((new View(self::sample(2, 1.0), null))->trouble(), 'name'));
    }

    public function testTargetsThatAreDownStandFirst(): void
    {
        $rows = (new View(self::sample(2, 2.0), self::sample(1, 1.0)))->rows('target');

        self::assertSame('10.0.0.8:5432', $rows[0]->name);
        self::assertFalse($rows[0]->up());
        self::assertSame('10.0.0.7:5432', $rows[1]->name);
        self::assertSame(10.0, $rows[1]->rate('sessions'));
        self::assertSame(1.0, $rows[1]->rate('responses_5xx'));
    }

    public function testQuantilesAreOfWhatHappenedBetweenTheSamples(): void
    {
        $all = (new View(self::sample(1, 1.0), null))->rows('target')[1]->quantiles;
        $between = (new View(self::sample(2, 2.0), self::sample(1, 1.0)))->rows('target')[1]->quantiles;

        self::assertSame(['p50' => 0.0005, 'p99' => 1.0], $all['first_byte_seconds']);
        self::assertSame(['p50' => 1.0, 'p99' => 1.0], $between['first_byte_seconds']);
    }

    public function testNothingOfANameIsToldToTheTerminal(): void
    {
        $text = implode("\n", (new Text(200))->lines(new View(self::sample(1, 1.0), null), 'here'));

        self::assertStringContainsString('evil"??[31m', $text);
        self::assertStringNotContainsString("\e", $text);
    }

    public function testAViewIsCutToTheTerminal(): void
    {
        foreach ([[40, 12], [80, 24], [20, 5]] as [$width, $height]) {
            $lines = (new Text($width, $height, true))->lines(new View(self::sample(2, 2.0), self::sample(1, 1.0)), 'here', 'connection refused');

            self::assertLessThanOrEqual($height, count($lines));
            foreach ($lines as $line) {
                self::assertLessThanOrEqual($width, mb_strwidth((string) preg_replace('~\e\[\d+m~', '', $line)));
            }
        }
    }

    public function testColoursAreOnlyWhereTheyWereAskedFor(): void
    {
        $view = new View(self::sample(2, 2.0), self::sample(1, 1.0));

        self::assertStringContainsString("\e[31m  10.0.0.8:5432", implode("\n", (new Text(colours: true))->lines($view, 'here')));
        self::assertStringContainsString("\e[33m  connections", implode("\n", (new Text(colours: true))->lines($view, 'here')));
    }

    public function testTheDocumentHasGaugesTotalsRatesLimitsAndTargets(): void
    {
        $document = json_decode(json_encode(Document::of(new View(self::sample(2, 2.0), self::sample(1, 1.0)), 'here'), JSON_THROW_ON_ERROR), true);

        self::assertIsArray($document);
        self::assertSame(['url', 'at', 'seconds', 'kind', 'draining', 'gauges', 'totals', 'rates', 'limits', 'trouble', 'targets', 'routes'], array_keys($document));
        self::assertSame(['active' => 45, 'draining' => 0], $document['gauges']);
        [$limits, $targets, $routes] = [$document['limits'], $document['targets'], $document['routes']];
        self::assertTrue(is_array($limits) && is_array($targets) && is_array($routes));
        self::assertSame(['name' => 'connections', 'used' => 45, 'limit' => 50, 'share' => 0.9], $limits[0]);
        self::assertSame(['10.0.0.8:5432', '10.0.0.7:5432'], array_slice(array_column($targets, 'name'), 0, 2));
        self::assertSame(['shop'], array_column($routes, 'name'));
    }

    public function testWhatIsNoMetricIsSaid(): void
    {
        $this->expectException(Unreadable::class);
        $this->expectExceptionMessage('what here answers are no metrics of Tusk');
        Sample::parse("<html>\n", 'here', 1.0);
    }
}
