<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Bench\BadFile;
use Tusk\Bench\LoadEngines;
use Tusk\Bench\Mode;
use Tusk\Bench\Scenario;

#[CoversClass(Scenario::class)]
final class ScenarioTest extends BenchCase
{
    private static function parse(string $text): Scenario
    {
        return Scenario::parse($text, 'evening.yaml', new Recordings());
    }

    public function testAScenarioIsAPlan(): void
    {
        $scenario = self::parse("mode: tcp rr\nurl: tcp://127.0.0.1:7\npid: 5\noptions:\n  connections: 100\n  header: ['A: b', 'C: d']\nassert: p99 < 5ms\n");

        self::assertSame(Mode::TcpRr, $scenario->plan->mode);
        self::assertSame(['connections' => 100, 'header' => "A: b\nC: d"], $scenario->plan->options);
        self::assertSame(['p99 < 5ms'], $scenario->plan->thresholds);
        self::assertSame('evening', $scenario->plan->scenario);
        self::assertSame(5, $scenario->pid);
    }

    public function testJsonIsYamlAndTheModeComesFromTheAddress(): void
    {
        self::assertSame(Mode::Http, self::parse('{"url": "http://127.0.0.1/", "name": "x"}')->plan->mode);
    }

    #[DataProvider('mistakes')]
    public function testAMistakeIsNamedWithItsLine(string $text, string $said): void
    {
        try {
            self::parse($text);
            self::fail("taken: $said");
        } catch (BadFile $fault) {
            self::assertStringContainsString($said, $fault->getMessage());
        }
    }

    /** @return iterable<array{string, string}> */
    public static function mistakes(): iterable
    {
        $url = "url: ws://127.0.0.1/\n";
        yield ["url: [\n", 'evening.yaml:'];
        yield ["{$url}options:\n\t- x", 'evening.yaml:3: '];
        yield ['- a', 'evening.yaml:1: a scenario has keys: name, mode, url'];
        yield ["{$url}speed: 5", 'evening.yaml:2: there is no key "speed" in a scenario'];
        yield ['mode: ws-echo', 'evening.yaml: url is missing'];
        yield ["# why\nurl: 5", 'evening.yaml:2: url is a text'];
        yield ["{$url}mode: smtp", 'evening.yaml:2: mode is one of ws-handshake, ws-echo'];
        yield ["{$url}options:\n  connections: 5\n  colour: red", 'evening.yaml:4: ws-echo has no option "colour"; it has connections,'];
        yield ["{$url}options: many", 'evening.yaml:2: options are pairs'];
        yield ["{$url}options: {size: {a: 1}}", 'evening.yaml:2: size has one value'];
        yield ["{$url}assert:\n  - p99 < 20ms\n  - speed > 5", 'evening.yaml:4: there is no metric "speed"'];
        yield ["{$url}assert:\n  - 5", 'evening.yaml:2: assert is a text such as'];
        yield ["{$url}pid: nginx", 'evening.yaml:2: pid is the number'];
        yield ["{\"url\": \"ws://127.0.0.1:1/\",\n\"options\": {\"size\": 5, \"colour\": \"red\"}}", 'evening.yaml:2: ws-echo has no option "colour"'];
        yield ['url: ws://remote.example/', 'evening.yaml:1: the target ws://remote.example/ is no loopback address'];
    }

    public function testWhatTheEngineRefusesIsNamedWithItsLineToo(): void
    {
        foreach (['size' => 5, 'connections' => 3, 'rate' => 4] as $wrong => $line) {
            $options = ['connections' => 2, 'rate' => 0, 'size' => 5];
            $options[$wrong] = $wrong === 'connections' ? 0 : -1;
            $text = "url: ws://127.0.0.1:1/\noptions:\n";
            foreach ($options as $name => $value) {
                $text .= "  $name: $value\n";
            }
            try {
                Scenario::parse($text, 'evening.yaml', new LoadEngines());
                self::fail("taken: $text");
            } catch (BadFile $fault) {
                self::assertStringStartsWith("evening.yaml:$line: $wrong ", $fault->getMessage());
            }
        }
    }
}
