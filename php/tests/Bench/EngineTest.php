<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use Opis\JsonSchema\Validator;
use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Bench\Calibration;
use Tusk\Bench\EchoServer;
use Tusk\Bench\LoadEngine;
use Tusk\Bench\LoadEngines;
use Tusk\Bench\Mode;
use Tusk\Bench\Observer;
use Tusk\Bench\Plan;
use Tusk\Bench\Report\WsperfJson;
use Tusk\Bench\Result;
use Tusk\Bench\Session;
use Tusk\Bench\Snapshot;
use Tusk\Bench\Suite\Certificate;
use Tusk\Bench\Suite\Ports;
use Tusk\Bench\Suite\ServerProcess;

/** The verbs with the engine itself, against the tool's own servers. */
#[CoversClass(LoadEngine::class)]
#[CoversClass(LoadEngines::class)]
#[CoversClass(Session::class)]
#[CoversClass(Calibration::class)]
final class EngineTest extends BenchCase
{
    private const SHORT = ['-c', '4', '-d', '1s', '--warmup', '0'];

    private ?EchoServer $server = null;

    protected function tearDown(): void
    {
        $this->server?->stop();
        parent::tearDown();
    }

    private function serve(string $kind): int
    {
        return ($this->server = new EchoServer($kind))->port();
    }

    public function testAnEchoIsMeasured(): void
    {
        $port = $this->serve('ws');
        [$status, $json] = self::bench('ws-echo', "ws://127.0.0.1:$port/", ...self::SHORT, ...['--verify', '--calibrate', '--json', '--pid', (string) ($this->server?->pids()[0] ?? 0)]);
        $result = Result::fromJson($json);

        self::assertSame(0, $status, $json);
        self::assertSame([], json_decode($json) === null ? ['no JSON'] : []);
        self::assertTrue((new Validator())->validate(json_decode($json), (string) file_get_contents(dirname(__DIR__, 3) . '/docs/reference/bench-result.schema.json'))->isValid());
        self::assertGreaterThan(0, $result->rate());
        self::assertSame(0, $result->errors());
        self::assertSame($result->counters['completed'], $result->latency['response']->count());
        self::assertSame(4, $result->totals['opened']);
        self::assertArrayHasKey('hiccup', $result->latency);
        self::assertGreaterThan(0, $result->generator->calibration['rate'] ?? 0);
        self::assertGreaterThan(0.0, $result->server?->cpuSeconds);
        self::assertNotSame([], $result->measured());
        $little = $result->little()->ratio();
        self::assertEqualsWithDelta(1.0, $little, 0.5, "Little's law");
    }

    /** @param array<string, string> $options */
    #[DataProvider('publishing')]
    public function testWhatIsPublishedIsCalibratedAgainstTheToolsOwnTopics(Mode $mode, array $options): void
    {
        $url = ($mode === Mode::Sse ? 'http' : 'ws') . '://127.0.0.1:9/no-such-place';
        $ceiling = (new Calibration(new LoadEngines()))->of(new Plan($mode, $url, ['connections' => '6', 'size' => '200', ...$options]));

        self::assertGreaterThan(0, $ceiling['rate']);
        self::assertGreaterThan(0, $ceiling['p50']);
        self::assertGreaterThanOrEqual($ceiling['p50'], $ceiling['p99']);
    }

    /** @return iterable<string, array{Mode, array<string, string>}> */
    public static function publishing(): iterable
    {
        yield 'fanout over WebSocket' => [Mode::Fanout, ['subscribe' => 'understood by the target only', 'pipeline' => '4']];
        yield 'fanout over event streams, in rooms' => [Mode::Fanout, ['transport' => 'sse', 'publish' => 'http', 'rooms' => '2']];
        yield 'sse, with somebody else publishing' => [Mode::Sse, ['publishers' => '0', 'reconnect-every' => '5']];
    }

    #[DataProvider('modes')]
    public function testEveryModeGivesAResult(Mode $mode, string $kind, string $figure): void
    {
        $port = $this->serve($kind);
        $url = ['ws' => 'ws', 'http' => 'http', 'tcp' => 'tcp'][$kind] . "://127.0.0.1:$port/";
        [$status, $json] = self::bench(...[...explode(' ', strtr($mode->value, ['tcp-' => 'tcp '])), $url, ...self::SHORT, '--json']);
        $result = Result::fromJson($json);

        self::assertSame(0, $status, $json);
        self::assertSame(0, $result->errors(), implode("\n", $result->validity->reasons));
        self::assertSame($mode, $result->mode);
        self::assertGreaterThan(0, $result->mode === Mode::TcpHold ? $result->totals['opened'] : $result->rate());
        self::assertStringContainsString($figure, self::bench('report', $this->file('.json', $json))[1]);
    }

    /** @return iterable<string, array{Mode, string, string}> */
    public static function modes(): iterable
    {
        yield 'http' => [Mode::Http, 'http', ' requests/s'];
        yield 'ws-handshake' => [Mode::WsHandshake, 'ws', ' handshakes/s'];
        yield 'tcp rr' => [Mode::TcpRr, 'tcp', ' round trips/s'];
        yield 'tcp rate' => [Mode::TcpRate, 'tcp', ' connections/s'];
        yield 'tcp bulk' => [Mode::TcpBulk, 'tcp', 'B/s'];
        yield 'tcp hold' => [Mode::TcpHold, 'tcp', '4 connections held'];
    }

    public function testHeldConnectionsTellWhatEachCostsTheServer(): void
    {
        $port = $this->serve('tcp');
        [$status, $json] = self::bench('tcp', 'hold', '-h', '127.0.0.1', '-p', (string) $port, '-c', '500', '-d', '1s', '--warmup', '0', '--json', '--pid', (string) ($this->server?->pids()[0] ?? 0));
        $server = Result::fromJson($json)->server;

        self::assertSame(0, $status, $json);
        self::assertGreaterThan(0, $server?->rss);
        self::assertGreaterThan(0.0, $server?->bytesPerConnection, 'user memory of 500 connections');
    }

    public function testHandshakesGoIntoWsperfsFileOneByOne(): void
    {
        $port = $this->serve('ws');
        $file = $this->path('.json');
        [$status, $text] = self::bench('ws-handshake', "ws://127.0.0.1:$port/", '-c', '20', '--count', '300', '-d', '20s', '--wsperf', $file);
        $run = WsperfJson::read($file);

        self::assertSame(0, $status, $text);
        self::assertCount(300, $run->connections);
        self::assertSame(0, $run->failed());
        self::assertGreaterThan(0, array_sum(array_column($run->connections, 2)));
        self::assertStringContainsString("             Total:       300\n           Success:       300\n", self::bench('report', $file)[1]);
    }

    /** The server waits before it lets in: of a storm that is over in 3 ms who began it is what there is to measure, and the tool says so. */
    public function testAStormTellsWhenHowManyWereBack(): void
    {
        $port = Ports::free();
        $server = new ServerProcess([...self::php(), __DIR__ . '/server/waiting.php', (string) $port], $port, $this->path('.log'), []);
        [$status, $text] = self::bench('ws-handshake', "ws://127.0.0.1:$port/ws", '-c', '50', '--reconnect-storm', '--warmup', '0');
        $server->end();

        self::assertSame(0, $status, $text);
        self::assertStringStartsWith("VALID\n", $text, 'a short storm is no short measurement');
        self::assertMatchesRegularExpression('~rate +50 of 50 connections back: half after [\d.]+ .s, 95 % after [\d.]+ .s, the last after~u', $text);
    }

    public function testTheCasesPassAgainstAnHonestServer(): void
    {
        $port = $this->serve('ws');
        [$status, $text] = self::bench('cases', "ws://127.0.0.1:$port/", '--only', '9.1', '--only', '9.3.1', '--only', '9.6.1', '--only', '9.8');

        self::assertSame(0, $status, $text);
        self::assertSame(14, preg_match_all('~^9\.[1368]\.\d +passed +[\d.]+ (?:µs|ms|s) ~mu', $text), $text);
    }

    public function testTheCasesPassOverTlsAndSayWhatTheyDidAsJson(): void
    {
        $certificate = Certificate::make();
        $this->server = new EchoServer('ws', options: ['tls-certificate' => $certificate->certificate, 'tls-key' => $certificate->key]);
        $url = "wss://127.0.0.1:{$this->server->port()}/";
        [$status, $text] = self::bench('cases', $url, '--tls-ca', $certificate->certificate, '--tls-server-name', 'localhost', '--only', '9.7', '--only', '9.2.1', '--json');
        $json = json_decode((string) strstr($text, '{'), true);

        self::assertSame(0, $status, $text);
        self::assertIsArray($json);
        self::assertIsArray($json['cases']);
        self::assertSame(['9.2.1', '9.7.1', '9.7.2', '9.7.3', '9.7.4', '9.7.5', '9.7.6'], array_column($json['cases'], 'case'));
        self::assertSame([1, 1000, 1000, 1000, 1000, 1000, 1000], array_column($json['cases'], 'completed'));
        [$status, $text] = self::bench('cases', $url, '--only', '9.7.1', '--markdown');
        self::assertSame(1, $status, 'the certificate is checked unless -k is given');
        self::assertMatchesRegularExpression('~^\| 9\.7\.1 \| FAILED .*TLS~m', $text);
        self::assertSame(0, self::bench('cases', $url, '--only', '9.7.1', '-k')[0]);
    }

    /** @param list<string> $words {port} is the server's */
    #[DataProvider('failures')]
    public function testATargetThatFailsIsNamed(?string $kind, array $words, int $expected, string $said): void
    {
        if ($kind === null) {
            $port = $this->serve('ws');
            $this->server?->stop();
        } else {
            $port = $this->serve($kind);
        }
        [$status, $text] = self::bench(...str_replace('{port}', (string) $port, [...$words, ...self::SHORT]));

        self::assertSame($expected, $status, $text);
        self::assertStringContainsString($said, $text);
    }

    /** @return iterable<string, array{string|null, list<string>, int, string}> */
    public static function failures(): iterable
    {
        yield 'refused' => [null, ['ws-echo', 'ws://127.0.0.1:{port}/'], 1, 'nothing was measured: 4 connections refused'];
        yield 'not a WebSocket' => ['http', ['ws-echo', 'ws://127.0.0.1:{port}/'], 1, 'answers with another HTTP status'];
        yield 'TLS failure' => ['ws', ['ws-echo', 'wss://127.0.0.1:{port}/'], 1, 'TLS handshakes that failed'];
        yield 'unreachable' => [null, ['ws-echo', 'ws://no-such-host.invalid/', '--allow-remote'], 2, 'no-such-host.invalid'];
        yield 'another machine' => [null, ['ws-echo', 'ws://192.0.2.1/'], 2, 'allow-remote'];
        yield 'an option out of range' => [null, ['ws-echo', 'ws://127.0.0.1:{port}/', '--size', 'huge'], 2, 'size'];
        yield 'another scheme' => [null, ['ws-echo', 'ftp://127.0.0.1:{port}/'], 2, 'tusk: url: mode ws-echo takes ws://'];
    }

    public function testAServerThatDiesInMidRunIsSeen(): void
    {
        $port = $this->serve('ws');
        $result = $this->during($port, fn () => $this->server?->stop());

        self::assertFalse($result->validity->valid());
        self::assertGreaterThan(0, $result->errors(), implode("\n", $result->validity->reasons));
        self::assertGreaterThan(0, $result->totals['completed']);
    }

    public function testCtrlCEndsTheRunWithWhatThereIs(): void
    {
        $port = $this->serve('ws');
        $result = $this->during($port, static fn () => posix_kill(posix_getpid(), SIGINT));

        self::assertTrue($result->partial);
        self::assertContains('partial: the run was ended early', $result->validity->reasons);
        self::assertGreaterThan(0, $result->totals['completed']);
        self::assertSame(0, $result->errors(), 'closing early is no error');
    }

    /** @param \Closure(): mixed $once called in the measuring window */
    private function during(int $port, \Closure $once): Result
    {
        $observer = new class ($once) implements Observer {
            private bool $done = false;

            /** @param \Closure(): mixed $once */
            public function __construct(private readonly \Closure $once) {}

            public function begin(Plan $plan): void {}

            public function update(Snapshot $now): void
            {
                if (!$this->done && $now->phase === 'measure' && ($now->counters['completed'] ?? 0) > 0) {
                    $this->done = true;
                    ($this->once)();
                }
            }

            public function end(): void {}
        };
        $plan = new Plan(Mode::WsEcho, "ws://127.0.0.1:$port/", ['connections' => 4, 'duration' => '6s', 'warmup' => 0]);

        return (new Session(new LoadEngines(), $observer))->run($plan)->result;
    }
}
