<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Output\BufferedOutput;
use Tusk\Bench\BlockOrder;
use Tusk\Bench\Console\AbCommand;
use Tusk\Bench\Console\CasesCommand;
use Tusk\Bench\Console\Ending;
use Tusk\Bench\Console\EngineOptions;
use Tusk\Bench\Console\Faces;
use Tusk\Bench\Console\ModeCommand;
use Tusk\Bench\Console\RunCommand;
use Tusk\Bench\Engines;
use Tusk\Bench\LoadEngines;
use Tusk\Bench\Mode;
use Tusk\Console\Application;
use Tusk\Console\Argv;
use Tusk\Console\Doctor\ExtensionInfo;
use Tusk\Terminal\Screen;
use Tusk\Tests\Console\FakeLauncher;
use Tusk\Tests\Console\FakeMachine;

/** The verbs of `tusk bench` on recordings. */
#[CoversClass(ModeCommand::class)]
#[CoversClass(RunCommand::class)]
#[CoversClass(CasesCommand::class)]
#[CoversClass(AbCommand::class)]
#[CoversClass(Faces::class)]
#[CoversClass(EngineOptions::class)]
#[CoversClass(Ending::class)]
final class ConsoleTest extends BenchCase
{
    /** What has more to say than a terminal of 80 columns and 24 lines shows; a fan-out has 19 options of its own. */

    private Recordings $recordings;

    protected function setUp(): void
    {
        parent::setUp();
        $this->recordings = new Recordings();
    }

    /** @return array{int, string} */
    private function tusk(string ...$words): array
    {
        return $this->tuskOn($this->recordings, ...$words);
    }

    /** @return array{int, string} */
    private function tuskOn(Engines $engines, string ...$words): array
    {
        $output = new BufferedOutput();
        $application = new Application(ExtensionInfo::loaded(), new FakeLauncher(0), new FakeMachine(), $engines, array_values($words));
        $status = $application->run(new ArgvInput(Argv::join(['tusk', ...array_values($words)], $application->names())), $output);

        return [$status, $output->fetch()];
    }

    /** @return iterable<string, array{list<string>}> */
    public static function verbs(): iterable
    {
        yield 'bench' => [['bench']];
        foreach (['options', 'run', 'cases', 'ab', 'compare', 'report', 'suite', 'agent', 'master', ...array_column(Mode::cases(), 'value')] as $verb) {
            yield $verb => [['bench', ...explode(' ', strtr($verb, ['tcp-' => 'tcp ']))]];
        }
    }

    /** @param list<string> $words */
    #[DataProvider('verbs')]
    public function testEveryHelpFitsOneScreen(array $words): void
    {
        $name = rtrim('bench:' . implode('-', array_slice($words, 1)), ':');
        foreach ([[...$words, '--help'], ['help', $name]] as $line) {
            [$status, $text] = $this->tuskOn(new LoadEngines(), ...$line);
            self::assertSame(0, $status, $text);
            self::assertStringStartsWith('tusk ' . implode(' ', $words), $text);
            self::assertTrue(Screen::fits($text), $text);
        }
    }

    public function testEveryOptionOfAModeIsToldByItsHelpOrWithThoseOfAllModes(): void
    {
        $application = new Application(ExtensionInfo::loaded(), new FakeLauncher(0), new FakeMachine(), new LoadEngines(), []);
        $common = $this->tuskOn(new LoadEngines(), 'bench', 'options')[1];
        foreach (Mode::cases() as $mode) {
            $text = $this->tuskOn(new LoadEngines(), 'bench', ...[...explode(' ', strtr($mode->value, ['tcp-' => 'tcp '])), '--help'])[1];
            foreach ($application->find("bench:{$mode->value}")->getDefinition()->getOptions() as $name => $_) {
                self::assertMatchesRegularExpression("~^  .*--(\\[no-\\])?\\Q$name\\E\\b~m", $text . $common, $mode->value);
            }
        }
    }

    public function testAResultBeginsWithItsVerdictAndTellsWhatWasTyped(): void
    {
        [$status, $text] = $this->tusk('bench', 'ws-echo', 'ws://127.0.0.1:9001/', '-c', '5');

        self::assertSame(0, $status);
        self::assertStringStartsWith("VALID\n\nws-echo ws://127.0.0.1:9001/\nclosed model: latencies are service times · 5 connections · window 6.00 s", $text);
        self::assertStringContainsString('1,000 echoes/s', $text);
        self::assertStringContainsString('response  6,000', $text);
    }

    public function testOptionsReachTheEngineAsTheyWereTyped(): void
    {
        $file = $this->file('.txt', "A: b\n");
        $this->tusk('bench', 'http', 'http://127.0.0.1/', '-r', '5k', '-H', 'X: y', '-H', "@$file", '--verify', '--no-hiccup', '--arrivals=poisson');

        self::assertSame([
            'rate' => '5k', 'arrivals' => 'poisson', 'header' => "X: y\nA: b", 'verify' => true, 'hiccup' => false,
        ], $this->recordings->asked[0]['options']);
    }

    public function testTcpTakesHostAndPort(): void
    {
        self::assertSame(0, $this->tusk('bench', 'tcp', 'hold', '-h', '::1', '-p', '5432', '-c', '3')[0]);
        self::assertSame(0, $this->tusk('bench', 'tcp', 'rr', '127.0.0.1:7')[0]);
        self::assertSame(2, $this->tusk('bench', 'tcp', 'rr')[0]);

        self::assertSame(['tcp://[::1]:5432', 'tcp://127.0.0.1:7'], array_column($this->recordings->asked, 'url'));
        self::assertSame(Mode::TcpHold, $this->recordings->asked[0]['mode']);
    }

    public function testBytesAndHeldConnectionsAreNoOperations(): void
    {
        $this->recordings = new Recordings(new Recording(rate: 0, counters: ['bytes_received' => 600 << 20, 'bytes_sent' => 0]), new Recording(rate: 0));
        [$status, $text] = $this->tusk('bench', 'tcp', 'bulk', '-p', '9', '--html', $html = $this->path('.html'));
        self::assertSame(0, $status, $text);
        self::assertStringStartsWith("VALID\n\ntcp-bulk tcp://127.0.0.1:9\n10 connections · window 6.00 s", $text);
        self::assertStringContainsString('  rate         100 MiB/s', $text);
        self::assertStringContainsString('<b>100 MiB</b>', (string) file_get_contents($html));
        [$status, $text] = $this->tusk('bench', 'tcp', 'hold', '-p', '9');
        self::assertSame(0, $status, $text);
        self::assertStringContainsString('  rate         10 connections held', $text);
    }

    public function testDeliveriesComeFromMessages(): void
    {
        $this->recordings = new Recordings(new Recording(rate: 5000, counters: ['sent' => 600, 'expected' => 30_000], more: ['delivery' => array_fill(0, 2000, 1_000_000)]));
        [$status, $text] = $this->tusk('bench', 'fanout', 'ws://127.0.0.1:1/', '-r', '100');

        self::assertSame(0, $status, $text);
        self::assertStringContainsString('5,000 deliveries/s from 100 messages/s, 100 % of the plan', $text);
        self::assertStringContainsString('reach        100 % of 30,000 deliveries', $text);
    }

    public function testJsonWithoutAFileTakesStandardOutput(): void
    {
        [$status, $text] = $this->tusk('bench', 'ws-echo', 'ws://127.0.0.1:9001/', '--json');
        $result = \Tusk\Bench\Result::fromJson($text);

        self::assertSame(0, $status);
        self::assertSame(['bench', 'ws-echo', 'ws://127.0.0.1:9001/', '--json'], $result->arguments);
    }

    public function testEveryFaceIsWritten(): void
    {
        $words = ['bench', 'ws-echo', 'ws://127.0.0.1:9001/'];
        $expected = [
            'json' => '"schema": 1',
            'csv' => "start,length,phase,rate,count,p50_ns,p90_ns,p99_ns,max_ns,errors,dropped,in_flight,open,generator_cpu,server_cpu,server_rss\n0,1,measure,1000,1000,",
            'hdr' => '#[Histogram log format version 1.3]',
            'samples' => "histogram,value_ns,count\nresponse,",
            'markdown' => '## VALID: `ws-echo ws://127.0.0.1:9001/`',
            'html' => '<!doctype html>',
            'store' => 'SQLite format 3',
        ];
        $files = array_map(fn (string $face): string => $this->path(".$face"), array_combine(array_keys($expected), array_keys($expected)));
        [$status] = $this->tusk(...$words, ...array_map(static fn (string $face): string => "--$face={$files[$face]}", array_keys($expected)));

        self::assertSame(0, $status);
        foreach ($expected as $face => $text) {
            self::assertStringContainsString($text, (string) file_get_contents($files[$face]), $face);
        }
    }

    public function testAPercentileTextComesByItsName(): void
    {
        $this->tusk('bench', 'ws-echo', 'ws://127.0.0.1:9001/', '--hdr', $file = $this->path('.hgrm'));

        self::assertStringStartsWith('       Value     Percentile', (string) file_get_contents($file));
    }

    public function testSamplesOfHandshakesAreSingleConnections(): void
    {
        $sample = ['start' => 5, 'tcp' => 100_000, 'tls' => 0, 'upgrade' => 200_000, 'close' => 300_000, 'failed' => false, 'exchanges' => []];
        $this->recordings = new Recordings(new Recording(samples: [$sample]));
        [$status] = $this->tusk(
            'bench',
            'ws-handshake',
            'ws://127.0.0.1:9001/',
            '--samples',
            $csv = $this->path('.csv'),
            '--wsperf',
            $json = $this->path('.json'),
        );

        self::assertSame(0, $status);
        self::assertSame(['samples' => 1_000_000, 'warmup' => 0], $this->recordings->asked[0]['options'], 'wsperf knows no warm-up');
        self::assertSame("start_ns,tcp_ns,tls_ns,upgrade_ns,close_ns,failed\n5,100000,0,200000,300000,0\n", file_get_contents($csv));
        self::assertStringContainsString('{"tcp_pre_init":100,"tcp_post_init":0,"open":200,"close":300,"failed":false}', (string) file_get_contents($json));
    }

    /** @param list<string> $words */
    #[DataProvider('endings')]
    public function testTheExitStatusTellsHowItEnded(Recording $recording, array $words, int $expected, string $said): void
    {
        $this->recordings = new Recordings($recording);
        [$status, $text] = $this->tusk('bench', 'ws-echo', ...[...$words, ...(preg_grep('~://~', $words) === [] ? ['ws://127.0.0.1:9001/'] : [])]);

        self::assertSame($expected, $status, $text);
        self::assertStringContainsString($said, $text);
    }

    /** @return iterable<string, array{Recording, list<string>, int, string}> */
    public static function endings(): iterable
    {
        yield 'a threshold holds' => [new Recording(), ['--assert', 'p99 < 1s'], 0, 'holds  p99 < 1s: p99 is 4.42 ms'];
        yield 'a threshold is broken' => [new Recording(), ['--assert', 'p99 < 1ms'], 4, 'BROKEN p99 < 1ms'];
        yield 'an unknown metric' => [new Recording(), ['--assert', 'speed > 1'], 2, "there is no metric \"speed\"; there are:\n  rates      rate errors"];
        yield 'a metric with a slip' => [new Recording(), ['--assert', 'servce.p99 > 1'], 2, 'there is no metric "servce.p99": did you mean "service.p99"? there are:'];
        yield 'not valid' => [new Recording(counters: ['wrong' => 1]), [], 0, "NOT VALID\n  - errors: 1 answers with other bytes"];
        yield 'not valid, strictly' => [new Recording(counters: ['wrong' => 1]), ['--strict'], 5, 'NOT VALID'];
        yield 'refused' => [new Recording(rate: 0, counters: ['failed_refused' => 10]), [], 1, 'tusk: nothing was measured: 10 connections refused'];
        yield 'unreachable' => [new Recording(rate: 0, counters: ['failed_timeout' => 3]), [], 1, '3 connections that were not there in time'];
        yield 'TLS failure' => [new Recording(rate: 0, counters: ['failed_tls' => 10]), [], 1, '10 TLS handshakes that failed'];
        yield 'a certificate that nobody vouches for' => [new Recording(rate: 0, counters: ['failed_tls' => 1], error: 'TLS: certificate verify failed: self-signed certificate'), [], 1, '--tls-ca FILE names the one to trust, --tls-insecure trusts any'];
        yield 'a server that tells everybody' => [new Recording(counters: ['duplicated' => 9]), [], 0, '9 messages that came twice (does the server send to everybody what one says? fanout measures such a one)'];
        yield 'not a WebSocket' => [new Recording(rate: 0, counters: ['failed_status' => 10]), [], 1, '10 answers with another HTTP status'];
        yield 'dies in mid-run' => [new Recording(counters: ['failed_reset' => 7]), [], 0, 'errors: 7 connections reset'];
        yield 'an impossible plan' => [new Recording(refusal: '90,000 connections need 4 source addresses: give --sources'), [], 2, 'tusk: 90,000 connections need 4'];
        yield 'a remote target' => [new Recording(), ['ws://remote.example/'], 2, 'is no loopback address: give --allow-remote'];
        yield 'a remote target, allowed' => [new Recording(), ['ws://remote.example/', '--allow-remote'], 0, 'VALID'];
        yield 'a process that is not there' => [new Recording(), ['--pid', '999999999'], 2, 'there is no such process'];
        yield 'a figure of the server, without its process' => [new Recording(), ['--assert', 'server.rss < 100MiB'], 2, 'server.rss is not known without --pid'];
        yield 'a pid that is none' => [new Recording(), ['--pid', 'nginx'], 2, '"nginx" is not a whole number'];
        yield 'a folder that is not there' => [new Recording(), ['--html', '/no/such/folder/x.html'], 2, 'there is no folder for it'];
        yield 'a header file that is not there' => [new Recording(), ['-H', '@/no/such/file'], 2, 'the file /no/such/file cannot be read'];
        yield 'handshakes of an echo' => [new Recording(), ['--wsperf', '/tmp/x.json'], 2, 'only ws-handshake can write it'];
    }

    public function testCtrlCWritesWhatThereIsAndSaysSo(): void
    {
        if (!function_exists('pcntl_signal')) {
            self::markTestSkipped('PHP has no pcntl');
        }
        $this->recordings = new Recordings(new Recording(interrupted: 3));
        [$status, $text] = $this->tusk('bench', 'ws-echo', 'ws://127.0.0.1:9001/', '--json', $file = $this->path('.json'));

        self::assertSame(130, $status, $text);
        self::assertStringContainsString("NOT VALID\n  - partial: the run was ended early", $text);
        self::assertStringContainsString('tusk: ended early: the result is partial', $text);
        self::assertTrue(\Tusk\Bench\Result::fromJson((string) file_get_contents($file))->partial);
    }

    public function testAFileThatCannotBeWrittenCostsNoneOfTheOthers(): void
    {
        if (!is_writable('/dev/full')) {
            self::markTestSkipped('no /dev/full');
        }
        [$status, $text] = $this->tusk('bench', 'ws-echo', 'ws://127.0.0.1:9001/', '--csv', '/dev/full', '--html', $html = $this->path('.html'), '--json', $json = $this->path('.json'));

        self::assertSame(2, $status);
        self::assertStringContainsString('/dev/full cannot be written whole', $text);
        self::assertStringStartsWith('<!doctype html>', (string) file_get_contents($html));
        self::assertSame(Mode::WsEcho, \Tusk\Bench\Result::fromJson((string) file_get_contents($json))->mode);
    }

    public function testScenarioFilesRun(): void
    {
        $file = $this->file('.yaml', "name: evening\nmode: ws-echo\nurl: ws://127.0.0.1:9001/\noptions: {connections: 100, rate: 5k}\nassert: ['p99 < 1us']\n");
        [$status, $text] = $this->tusk('bench', 'run', $file, '--assert', 'errors == 0');

        self::assertSame(4, $status);
        self::assertStringContainsString("scenario evening\nopen model, 5,000 planned/s · 100 connections", $text);
        self::assertStringContainsString('holds  errors == 0', $text);
        self::assertSame(['connections' => 100, 'rate' => '5k'], $this->recordings->asked[1]['options'], 'the first was a look whether it can be made');
    }

    public function testCasesPassOrFailOneByOne(): void
    {
        $this->recordings = new Recordings(new Recording(), new Recording(rate: 0, counters: ['wrong' => 1]));
        [$status, $text] = $this->tusk('bench', 'cases', 'ws://127.0.0.1:9001/', '--only', '9.3.1', '--only', '9.8.6');

        self::assertSame(1, $status);
        self::assertMatchesRegularExpression('~9\.3\.1  passed .* text message of 4M in fragments of 64$~m', $text);
        self::assertMatchesRegularExpression('~9\.8\.6  FAILED .* 1000 binary messages of 4K: 1 answers with other bytes$~m', $text);
        self::assertSame(2, $this->tusk('bench', 'cases', 'ws://127.0.0.1:9001/', '--only', '9.9')[0]);
    }

    public function testPairsGiveAVerdict(): void
    {
        $pair = static fn (int $a, int $b): array => [new Recording(rate: $a), new Recording(rate: $b)];
        $this->recordings = new Recordings(...$pair(1000, 900), ...array_reverse($pair(1010, 905)), ...$pair(1000, 902));
        [$status, $text] = $this->tusk('bench', 'ab', 'ws://127.0.0.1:1/', 'ws://127.0.0.1:2/', '--pairs', '3', '--seed', '7', '-o', 'size=16');

        self::assertSame(4, $status, $text);
        self::assertStringContainsString('WORSE: B is worse in rate', $text);
        self::assertMatchesRegularExpression('~rate \(decides\) +1,000 +902 +0\.899~', $text);
        self::assertSame([1, 2, 2, 1, 1, 2], array_map(static fn (array $asked): int => (int) parse_url($asked['url'], PHP_URL_PORT), $this->recordings->asked));
        self::assertSame(['duration' => '5s', 'size' => '16'], $this->recordings->asked[0]['options']);
    }

    public function testAAgainstItselfIsTheSame(): void
    {
        [$status, $text] = $this->tusk('bench', 'ab', '--aa', 'ws://127.0.0.1:1/', '--pairs', '3', '--json');
        $json = json_decode((string) strstr($text, '{'), true);

        self::assertSame(0, $status);
        self::assertIsArray($json);
        self::assertSame('same', $json['verdict'] ?? null);
        self::assertIsInt($json['seed'] ?? null);
        self::assertSame(implode('', BlockOrder::of(3, $json['seed'])), $json['order'] ?? null, 'drawn by lot, and told');
    }

    public function testTheBlocksOfAComparisonAreAsLongAndOfTheModeThatWasAskedFor(): void
    {
        $this->tusk('bench', 'ab', '--aa', 'ws://127.0.0.1:1/', '--pairs', '2', '--block', '150ms', '--mode', 'ws-handshake', '--option', 'connections=7');

        self::assertCount(4, $this->recordings->asked);
        foreach ($this->recordings->asked as $asked) {
            self::assertSame([Mode::WsHandshake, ['duration' => '150ms', 'connections' => '7']], [$asked['mode'], $asked['options']]);
        }
    }

    public function testWithBothServersKnownTheirOwnCpuDecides(): void
    {
        $own = (string) getmypid();
        foreach ([[['--pid-a', $own, '--pid-b', $own], 'server.per_cpu_second'], [['--pid-a', $own], 'rate']] as [$pids, $metric]) {
            [, $text] = $this->tusk('bench', 'ab', 'ws://127.0.0.1:1/', 'ws://127.0.0.1:2/', '--pairs', '2', '--json', ...$pids);
            $json = json_decode((string) strstr($text, '{'), true);
            self::assertIsArray($json);
            self::assertSame($metric, $json['metric'] ?? null);
        }
        [$status, $text] = $this->tusk('bench', 'ab', 'ws://127.0.0.1:1/', 'ws://127.0.0.1:2/', '--pid-a', $own, '--pid-b', '999999999');
        self::assertSame(2, $status);
        self::assertStringContainsString('--pid 999999999: there is no such process', $text);
    }

    public function testCasesHandTheirConnectionsOptionsOn(): void
    {
        $this->tusk('bench', 'cases', 'wss://127.0.0.1:9001/', '--only', '9.3.1', '--tls-insecure', '--tls-ca', 'ca.pem', '--tls-server-name', 'a.example', '--subprotocol', 'chat.v1');

        foreach (['tls-insecure' => true, 'tls-ca' => 'ca.pem', 'tls-server-name' => 'a.example', 'subprotocol' => 'chat.v1'] as $name => $value) {
            self::assertSame($value, $this->recordings->asked[0]['options'][$name] ?? null, $name);
        }
    }

    public function testAnUndecidedComparisonSaysHowManyMorePairsItNeeds(): void
    {
        $this->recordings = new Recordings(...array_map(static fn (int $rate): Recording => new Recording(length: 1, rate: $rate), [1000, 1100, 1000, 1100, 1050, 1000, 900, 1000]));
        [, $text] = $this->tusk('bench', 'ab', 'ws://127.0.0.1:1/', 'ws://127.0.0.1:2/', '--pairs', '4', '--seed', '7', '--effect', '5%');

        [$needed, $more] = sscanf((string) strstr($text, 'UNDECIDED'), 'UNDECIDED: give about %d pairs, %d more than these') ?? [null, null];
        self::assertIsInt($more, $text);
        self::assertGreaterThan(0, $more);
        self::assertSame($needed, 4 + $more);
        self::assertMatchesRegularExpression('~they are the same for any --effect over [\d.]+ %~', $text);
    }

    /** @param list<int> $rates of the blocks, A B B A … */
    #[DataProvider('series')]
    public function testPairsGoOnOnlyWhileNothingIsDecided(array $rates, int $blocks, string $verdict): void
    {
        $this->recordings = new Recordings(...array_map(static fn (int $rate): Recording => new Recording(length: 1, rate: $rate), $rates));
        [, $text] = $this->tusk('bench', 'ab', 'ws://127.0.0.1:1/', 'ws://127.0.0.1:2/', '--pairs', '3', '--most', '6', '--seed', '7', '--metric', 'rate');

        self::assertCount($blocks, $this->recordings->asked);
        self::assertStringContainsString($verdict, $text);
        self::assertStringContainsString(($blocks / 2) . ' pairs, medians', $text);
        self::assertStringContainsString('97.5 % interval', $text, 'two looks share the 5 %');
    }

    /** @return iterable<string, array{list<int>, int, string}> */
    public static function series(): iterable
    {
        yield 'worse at the first look' => [[1000, 900, 901, 1001, 1000, 899], 6, 'WORSE: B is worse in rate'];
        yield 'the same at the first look' => [[1000, 1001, 1000, 1001, 1001, 1000], 6, 'SAME: rate differs by less'];
        yield 'undecided to the end' => [[1000, 700, 1300, 1000, 1000, 1100, 900, 1000, 1000, 700, 1400, 1000], 12, 'UNDECIDED: give about'];
    }

    public function testABlockWithoutAnythingFails(): void
    {
        $this->recordings = new Recordings(new Recording(), new Recording(rate: 0, counters: ['failed_refused' => 4]));
        [$status, $text] = $this->tusk('bench', 'ab', 'ws://127.0.0.1:1/', 'ws://127.0.0.1:2/', '--seed', '7');

        self::assertSame(1, $status);
        self::assertStringContainsString('nothing was measured of B, ws://127.0.0.1:2/: 4 connections refused', $text);
    }

    /** @param list<string> $words */
    #[DataProvider('wrongUses')]
    public function testWrongUseIsExplained(array $words, string $said): void
    {
        [$status, $text] = $this->tusk('bench', ...$words);

        self::assertSame(2, $status, $text);
        self::assertStringContainsString($said, $text);
    }

    /** @return iterable<array{list<string>, string}> */
    public static function wrongUses(): iterable
    {
        yield [['nonsense'], 'there is no "tusk bench nonsense"; it is one of suite, ws-handshake, ws-echo'];
        yield [['ws-echo'], '"tusk bench ws-echo" needs URL (such as ws://127.0.0.1:9001/)'];
        yield [['ws-echo', 'ws://127.0.0.1/', '--loud'], '--loud'];
        yield [['tcp', 'rr', '127.0.0.1:5', '-p', '5'], 'give either an address such as'];
        yield [['ab', 'ws://127.0.0.1/'], 'give B, or --aa'];
        yield [['ab', 'ws://127.0.0.1/', 'ws://127.0.0.1/', '--aa'], 'leave B out'];
        yield [['ab', '--aa', 'ws://127.0.0.1/', '--pairs', '1'], 'one pair has no spread'];
        yield [['ab', '--aa', 'ws://127.0.0.1/', '--most', '4'], '--most 4 is less than --pairs 8'];
        yield [['ab', '--aa', 'ws://127.0.0.1/', '--metric', 'speed'], 'there is no metric "speed"'];
        yield [['ab', '--aa', 'ws://127.0.0.1/', '-m', 'smtp'], 'there are ws-handshake'];
        yield [['ab', '--aa', 'ws://127.0.0.1/', '-o', 'size'], 'NAME=VALUE is wanted'];
        yield [['compare', '/no/a.json', '/no/b.json'], '/no/a.json: there is no such file'];
        yield [['compare', '/no/a.json'], 'give at least two results'];
        yield [['report', '/no/a.json'], '/no/a.json: there is no such file'];
        yield [['run', '/no/a.yaml'], '/no/a.yaml: there is no such file'];
    }
}
