<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Output\BufferedOutput;
use Tusk\Bench\BadFile;
use Tusk\Bench\Console\CompareCommand;
use Tusk\Bench\Console\ReportCommand;
use Tusk\Bench\Report\Source;
use Tusk\Bench\Store;
use Tusk\Console\Application;
use Tusk\Console\Argv;
use Tusk\Console\Doctor\ExtensionInfo;
use Tusk\Tests\Console\FakeLauncher;
use Tusk\Tests\Console\FakeMachine;

#[CoversClass(Store::class)]
#[CoversClass(Source::class)]
#[CoversClass(ReportCommand::class)]
#[CoversClass(CompareCommand::class)]
final class StoreTest extends BenchCase
{
    private string $store;

    protected function setUp(): void
    {
        parent::setUp();
        $this->store = $this->path('.sqlite');
        $store = new Store($this->store);
        foreach ([1000, 1200, 900] as $rate) {
            $store->add(self::measured(new Recording(rate: $rate)));
        }
        $store->add(self::measured(new Recording(), ['rate' => '1k']));
    }

    /** @return array{int, string} */
    private function tusk(string ...$words): array
    {
        $output = new BufferedOutput();
        $application = new Application(ExtensionInfo::loaded(), new FakeLauncher(0), new FakeMachine(), new Recordings());
        $status = $application->run(new ArgvInput(Argv::join(['tusk', 'bench', ...array_values($words)], $application->names())), $output);

        return [$status, $output->fetch()];
    }

    public function testResultsComeBackByNumberOrTheNewest(): void
    {
        self::assertSame(1200.0, Source::result("$this->store#2")->rate());
        self::assertSame('open', Source::result($this->store)->model());
        self::assertTrue(Source::isStore("$this->store#2"));
    }

    public function testATrendIsOfOneSeries(): void
    {
        $store = new Store($this->store);
        $trend = $store->trend(Store::series($store->get(1)));

        self::assertSame([1000.0, 1200.0, 900.0], array_column($trend, 'rate'));
        [$status, $text] = $this->tusk('report', '--trend', "$this->store#1");
        self::assertSame(0, $status);
        self::assertStringContainsString('ws-echo ws://127.0.0.1:9001/: 3 runs of this series', $text);
        self::assertStringContainsString('▇█▆', $text);
        self::assertMatchesRegularExpression('~#2 .* 1,200/s .* \+20\.0 %~', $text);
        self::assertMatchesRegularExpression('~#3 .* 900/s .* -25\.0 %~', $text);
    }

    public function testTheStoreIsListed(): void
    {
        [$status, $text] = $this->tusk('report', '--list', $this->store);

        self::assertSame(0, $status);
        self::assertSame(5, substr_count($text, "\n"));
        self::assertStringContainsString('ws-echo ws://127.0.0.1:9001/', $text);
    }

    public function testAStoredResultIsReportedInEveryForm(): void
    {
        [$status, $text] = $this->tusk('report', "$this->store#2", '--markdown=-');

        self::assertSame(0, $status);
        self::assertStringContainsString('| rate | 1,200 echoes/s |', $text);
    }

    public function testWsperfsFilesGiveItsAnalyzersText(): void
    {
        $json = '{"total_duration":1,"started":0,"ended":1000000,"handshake_throttle_count":0,"handshake_resume_count":1,'
            . '"connection_stats":[{"tcp_pre_init":1,"tcp_post_init":0,"open":1500,"close":1,"failed":false}]}';
        [$status, $text] = $this->tusk('report', $a = $this->file('.json', $json), $this->file('.json', $json));

        self::assertSame(0, $status);
        self::assertStringStartsWith("Loading wsperf result file $a ..\n", $text);
        self::assertStringContainsString("    Handshakes/sec:         2\n\n     Min:       1.5 ms\n", $text);
        [$status, $text] = $this->tusk('report', $a, '--markdown=-', '--html', $html = $this->path('.html'));
        self::assertSame(0, $status);
        self::assertStringContainsString('| rate | 1 handshakes/s |', $text);
        self::assertMatchesRegularExpression('~^\| upgrade \| 1 \| 1\.50 ms ~m', $text);
        self::assertFileExists($html);
    }

    public function testResultsStandSideBySide(): void
    {
        [$status, $text] = $this->tusk('compare', "$this->store#1", "$this->store#2", $this->store);

        self::assertSame(0, $status);
        self::assertMatchesRegularExpression('~^rate +1,000 +1,200 +1\.200 +1,000 +1\.000$~m', $text);
        self::assertStringContainsString('was measured otherwise: model closed / open, rate 0 / 1k', $text);
        self::assertStringContainsString('tusk bench ab decides', $text);
        self::assertIsArray(json_decode($this->tusk('compare', "$this->store#1", $this->store, '--json')[1], true));
        self::assertStringStartsWith('|  | ', $this->tusk('compare', "$this->store#1", $this->store, '--markdown')[1]);
    }

    public function testWhatIsNoStoreIsSaid(): void
    {
        $text = $this->file('.sqlite', 'SQLite format 3' . "\0" . str_repeat('x', 200));
        foreach ([
            fn () => new Store($text),
            fn () => new Store('/no/such/file.sqlite', true),
            fn () => Source::result("$this->store#99"),
            fn () => Source::result($this->file('.json', '{}') . '#3'),
            fn () => Source::result($this->file('.json', '{}')),
        ] as $i => $open) {
            try {
                $open();
                self::fail("taken: $i");
            } catch (BadFile $fault) {
                self::assertStringContainsString(['no store of results', 'there is no such file', 'holds no result 99', 'has no numbers', 'not a result of tusk bench'][$i], $fault->getMessage());
            }
        }
        self::assertSame(2, $this->tusk('report', '--trend', $this->file('.json', '{}'))[0]);
    }

    public function testRunsThatEndTogetherMakeOneStore(): void
    {
        $files = array_map(fn (int $i): string => $this->path("-$i.sqlite"), range(1, 10));
        $code = 'require $argv[1]; echo "ready\n"; fgets(STDIN); foreach (array_slice($argv, 2) as $file) { try { new Tusk\Bench\Store($file); } catch (Throwable $e) { echo $e->getMessage(), "\n"; } }';
        $processes = $pipes = [];
        foreach (range(0, 5) as $i) {
            $processes[$i] = proc_open([...self::php(), '-r', $code, '--', dirname(__DIR__, 2) . '/vendor/autoload.php', ...$files], [['pipe', 'r'], ['pipe', 'w']], $pipes[$i]);
        }
        foreach ($pipes as [, $out]) {
            self::assertSame("ready\n", fgets($out));
        }
        foreach ($pipes as [$in]) {
            fwrite($in, "now\n");
        }
        foreach ($processes as $i => $process) {
            self::assertSame('', stream_get_contents($pipes[$i][1]));
            self::assertIsResource($process);
            proc_close($process);
        }
    }

    public function testAnotherDatabaseIsLeftAlone(): void
    {
        $file = $this->path('.sqlite');
        (new \PDO("sqlite:$file"))->exec('CREATE TABLE customers (id INTEGER)');

        $this->expectExceptionMessage('no store of results (version 0, not 1)');
        new Store($file);
    }
}
