<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use Opis\JsonSchema\Errors\ErrorFormatter;
use Opis\JsonSchema\Validator;
use PHPUnit\Framework\Attributes\CoversClass;
use Tusk\Bench\BadFile;
use Tusk\Bench\Fields;
use Tusk\Bench\Interval;
use Tusk\Bench\Latency;
use Tusk\Bench\Mode;
use Tusk\Bench\Plan;
use Tusk\Bench\Result;
use Tusk\Bench\Run;
use Tusk\Bench\ServerSampler;
use Tusk\Bench\Threshold;

#[CoversClass(Result::class)]
#[CoversClass(Run::class)]
#[CoversClass(Fields::class)]
#[CoversClass(Latency::class)]
#[CoversClass(Interval::class)]
#[CoversClass(ServerSampler::class)]
final class ResultTest extends BenchCase
{
    private const SCHEMA = __DIR__ . '/../../../docs/reference/bench-result.schema.json';

    private static function assertFollowsTheSchema(string $json): void
    {
        $error = (new Validator())->validate(json_decode($json), (string) file_get_contents(self::SCHEMA))->error();

        self::assertNull($error, $error === null ? '' : (string) json_encode((new ErrorFormatter())->format($error)));
    }

    public function testPhasesStandInTheirOrderWhicheverAgentIsInOneFirst(): void
    {
        $phases = self::measured(new Recording(phases: ['close' => 6.0, 'drain' => 6.001, 'warmup' => 0.001]))->phases;

        self::assertSame(['warmup', 'measure', 'drain', 'close'], array_column($phases, 'name'));
    }

    public function testTheJsonFollowsTheDocumentedSchema(): void
    {
        self::assertFollowsTheSchema(self::measured()->toJson());
        self::assertFollowsTheSchema(self::measured(new Recording(length: 0), ['rate' => '5k'])->toJson());
    }

    public function testTheServersShareFollowsTheSchemaToo(): void
    {
        $plan = new Plan(Mode::WsEcho, 'ws://127.0.0.1:1/');
        $result = (new Run($plan, new Recording(), self::nobody(), new ServerSampler((int) getmypid())))->measure();
        $result = $result->with([Threshold::parse('p99 < 1s', Mode::WsEcho)->check($result)]);

        self::assertNotNull($result->server);
        self::assertGreaterThan(1 << 20, $result->server->rss);
        self::assertGreaterThanOrEqual(1, $result->server->threads);
        self::assertFollowsTheSchema($result->toJson());
        self::assertSame($result->toJson(), Result::fromJson($result->toJson())->toJson());
    }

    public function testOperationsForACpuSecondAreThoseOfTheSameSpan(): void
    {
        $sampler = new ServerSampler((int) getmypid());
        $data = str_repeat('x', 1 << 22);
        $looks = [['warmup', 500], ['measure', 700], ['measure', 900], ['measure', 1500], ['drain', 1600], ['drain', 5000], ['close', 9000]];
        foreach ($looks as [$phase, $done]) {
            $sampler->sample($phase, 1, $done);
            hash('sha256', $data);      // some CPU between the looks
        }
        $use = $sampler->use();

        self::assertGreaterThan(0.0, $use->cpuSeconds);
        self::assertEqualsWithDelta(800 / $use->cpuSeconds, $use->operationsPerSecond, 1e-6, 'from the first look of the window to its last');
    }

    public function testTheServerIsLookedAtShortlyBeforeTheWindowEnds(): void
    {
        $recording = new Recording(length: 2);
        (new Run(new Plan(Mode::WsEcho, 'ws://127.0.0.1:1/', ['duration' => '200ms']), $recording, self::nobody()))->measure();

        self::assertSame(0.25, $recording->polled[0], 'the window has not begun');
        self::assertGreaterThan(0.0, $recording->polled[1]);
        self::assertLessThanOrEqual(0.18, $recording->polled[1], 'a tenth before the end');
    }

    public function testTheSchemaCanRefuse(): void
    {
        $json = str_replace('"model": "closed"', '"model": "ajar"', self::measured()->toJson());

        self::assertFalse((new Validator())->validate(json_decode($json), (string) file_get_contents(self::SCHEMA))->isValid());
    }

    public function testAProcessThatIsNotThereIsRefused(): void
    {
        $this->expectExceptionMessage('--pid 999999999: there is no such process');
        new ServerSampler(999_999_999);
    }

    public function testAResultComesBackFromItsJson(): void
    {
        $result = self::measured(new Recording(more: ['upgrade' => [1_000_000, 2_000_000], 'hiccup' => [60_000]]), ['rate' => '1k']);
        $back = Result::fromJson($result->toJson());

        self::assertSame('open', $back->model());
        self::assertSame(1000.0, $back->rate());
        self::assertSame(2, $back->latency['upgrade']->count());
        self::assertCount(6, $back->measured());
        self::assertSame($back->toJson(), Result::fromJson($back->toJson())->toJson());
    }

    public function testPercentilesWithoutSupportAreNull(): void
    {
        $latency = self::measured(new Recording(length: 1, rate: 500))->headline()->toArray();

        self::assertIsInt($latency['p95']);
        self::assertNull($latency['p99']);
        self::assertNull($latency['p99.9']);
    }

    public function testRatesCountTheWindowOnly(): void
    {
        $result = self::measured(new Recording(length: 4, rate: 250));

        self::assertSame(4.0, $result->seconds);
        self::assertSame(250.0, $result->rate());
        self::assertSame(16_000.0, $result->per('bytes_received'));
    }

    public function testAFaultyFileIsNamedByItsField(): void
    {
        $json = self::measured()->toJson();
        foreach ([
            'not JSON' => '{',
            'not a result of tusk bench' => '{"schema": 2}',
            'url is not a string but int' => str_replace('"url": "ws://127.0.0.1:9001/"', '"url": 5', $json),
            'mode: there is no mode "ws"' => str_replace('"mode": "ws-echo"', '"mode": "ws"', $json),
            'window.seconds is not a number but beyond all numbers' => (string) preg_replace('~"seconds": [\d.]+~', '"seconds": 1e999', $json, 1),
            'latency.response.hdr is missing' => (string) preg_replace('~("saturated": 0),\s*"hdr": "[^"]*"~', '$1', $json, 1),
        ] as $message => $text) {
            try {
                Result::fromJson($text);
                self::fail("taken: $message");
            } catch (BadFile $fault) {
                self::assertStringContainsString($message, $fault->getMessage());
            }
        }
    }
}
