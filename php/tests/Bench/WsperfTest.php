<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Bench\BadFile;
use Tusk\Bench\Metric;
use Tusk\Bench\Mode;
use Tusk\Bench\Report\WsperfJson;
use Tusk\Bench\Report\WsperfRun;
use Tusk\Bench\Report\WsperfText;
use Tusk\Bench\Report\Source;

#[CoversClass(WsperfJson::class)]
#[CoversClass(WsperfRun::class)]
#[CoversClass(WsperfText::class)]
final class WsperfTest extends BenchCase
{
    public function testEveryFieldIsWrittenAndReadBack(): void
    {
        $run = new WsperfRun(2_500_000, 1_700_000_000_000_000, 1_700_000_002_500_000, 3, 4, [[120, 1, 900, 400, false], [0, 0, 70, 0, true]]);
        $text = implode('', [...WsperfJson::write($run)]);
        $json = json_decode($text, true);

        self::assertSame([
            'total_duration' => 2_500_000,
            'started' => 1_700_000_000_000_000,
            'ended' => 1_700_000_002_500_000,
            'handshake_throttle_count' => 3,
            'handshake_resume_count' => 4,
            'connection_stats' => [
                ['tcp_pre_init' => 120, 'tcp_post_init' => 1, 'open' => 900, 'close' => 400, 'failed' => false],
                ['tcp_pre_init' => 0, 'tcp_post_init' => 0, 'open' => 70, 'close' => 0, 'failed' => true],
            ],
        ], $json);
        self::assertEquals($run, WsperfJson::read($this->file('.json', $text)));
    }

    public function testAFileOfManyPiecesIsReadWhole(): void
    {
        $connections = array_map(static fn (int $i): array => [$i, 0, $i * 2, $i * 3, false], range(1, 5000));
        $run = new WsperfRun(1, 2, 3, 0, 1, $connections);

        self::assertEquals($run, WsperfJson::read($this->file('.json', implode('', [...WsperfJson::write($run)]))));
    }

    public function testPhasesOfFailedConnectionsMeanNothing(): void
    {
        $file = $this->file('.json', '{"connection_stats": [ {"failed": true, "open": -5, "close": 77, "tcp_pre_init": 99999, "tcp_post_init": -3} ],'
            . ' "ended": 9, "started": 1, "total_duration": 8, "handshake_resume_count": 1, "handshake_throttle_count": 0}');

        self::assertSame([[0, 0, 0, 0, true]], WsperfJson::read($file)->connections);
    }

    #[DataProvider('faults')]
    public function testFaultsAreNamed(string $text, string $said): void
    {
        $this->expectException(BadFile::class);
        $this->expectExceptionMessage($said);
        WsperfJson::read($this->file('.json', $text));
    }

    /** @return iterable<array{string, string}> */
    public static function faults(): iterable
    {
        $head = '{"total_duration":1,"started":1,"ended":2,"handshake_throttle_count":0,"handshake_resume_count":1,';
        yield ['', 'not a result of wsperf: not JSON'];
        yield ['{"started": 5}', 'connection_stats is missing'];
        yield [$head . '"connection_stats":[{"open":5}]}', 'connection_stats[0]: failed is missing'];
        yield [$head . '"connection_stats":[{"tcp_pre_init":"x","tcp_post_init":0,"open":1,"close":1,"failed":false}]}', 'connection_stats[0]: tcp_pre_init is not an integer'];
        yield [$head . '"connection_stats":[{"tcp_pre_init":1', 'not JSON'];
        yield ['{"started":1.5,"connection_stats":[],"total_duration":1,"ended":2,"handshake_throttle_count":0,"handshake_resume_count":1}', 'started is not an integer'];
    }

    public function testTheAnalyzersTextIsItsToTheBlank(): void
    {
        $connections = array_map(static fn (int $i): array => [100, 1, $i * 100, 50, $i > 198], range(200, 1));
        $run = new WsperfRun(0, 1_000_000, 3_500_000, 0, 1, $connections);

        self::assertSame(<<<'TEXT'
            Loading wsperf result file result_0.json ..
            Loading wsperf result file result_1.json ..

            Aggregate results (WebSocket Opening+Closing Handshake)

                      Duration:       2.5 s
                         Total:       200
                       Success:       198
                          Fail:         2
                        Fail %:      1.00
                Handshakes/sec:        79

                 Min:       0.1 ms
                  SD:       5.8 ms
                 Avg:      10.1 ms
              Median:      10.1 ms
              q90   :      18.1 ms
              q95   :      19.1 ms
              q99   :      19.9 ms
              q99.9 :      20.0 ms
              q99.99:      20.0 ms
                 Max:      20.0 ms


            Analyze done.

            TEXT, WsperfText::write($run, ['result_0.json', 'result_1.json']));
    }

    public function testTheirFileIsAResultToCompareWith(): void
    {
        $run = new WsperfRun(1_000_000, 5_000_000, 6_000_000, 0, 1, array_fill(0, 2000, [100, 0, 300, 400, false]));
        $result = Source::result($this->file('.json', implode('', [...WsperfJson::write($run)])));

        self::assertSame(2000.0, $result->rate());
        self::assertSame(300_000.0, Metric::parse('upgrade.max')->of($result));
        self::assertArrayNotHasKey('tls', $result->latency, 'without TLS their file has zeros, which were never measured');
    }

    public function testSeveralFilesAreJoined(): void
    {
        $run = WsperfRun::join(new WsperfRun(5, 100, 200, 1, 2, [[1, 2, 3, 4, false]]), new WsperfRun(7, 90, 150, 1, 2, [[5, 6, 7, 8, true]]));

        self::assertEquals(new WsperfRun(7, 90, 200, 2, 4, [[1, 2, 3, 4, false], [5, 6, 7, 8, true]]), $run);
        self::assertSame(1, $run->failed());
        self::assertStringContainsString('Total:         0', WsperfText::write(WsperfRun::join(), []));
    }

    public function testOurConnectionsBecomeTheirs(): void
    {
        $result = self::measured(null, [], Mode::WsHandshake);
        $run = WsperfRun::ofResult($result, [
            ['start' => 5_000_000, 'tcp' => 100_000, 'tls' => 20_000, 'upgrade' => 300_000, 'close' => 400_000, 'failed' => false],
            ['start' => 6_000_000, 'tcp' => 0, 'tls' => 0, 'upgrade' => 0, 'close' => 7_000_000, 'failed' => true],
        ]);

        self::assertSame([[100, 20, 300, 400, false], [0, 0, 0, 0, true]], $run->connections);
        self::assertSame(1000, $run->duration, 'from the first start to the last end');
        self::assertSame([5000, 6000], [$run->started - (int) round($result->started * 1e6), $run->ended - (int) round($result->started * 1e6)]);
    }

    public function testOurHistogramsBecomeConnections(): void
    {
        $recording = new Recording(
            counters: ['failed_refused' => 1, 'throttled' => 2],
            more: ['tcp' => [50_000, 60_000], 'upgrade' => [1_000_000, 3_000_000], 'close_end' => [200_000, 300_000]],
        );
        $run = WsperfRun::ofResult(self::measured($recording, [], Mode::WsHandshake));

        self::assertSame([2, 3], [$run->throttled, $run->resumed]);
        self::assertSame([[50, 0, 1000, 200, false], [60, 0, 3000, 300, false], [0, 0, 0, 0, true]], $run->connections);
    }
}
