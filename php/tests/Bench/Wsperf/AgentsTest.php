<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench\Wsperf;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Bench\EchoServer;
use Tusk\Bench\Fields;
use Tusk\Bench\Result;
use Tusk\Bench\Suite\Ports;
use Tusk\Bench\Wsperf\AgentsEngines;
use Tusk\Bench\Wsperf\ClientLink;
use Tusk\Tests\Bench\BenchCase;

/** `--agents`: a plan of the command line on agents that are processes of their own. */
#[CoversClass(AgentsEngines::class)]
#[CoversClass(ClientLink::class)]
final class AgentsTest extends BenchCase
{
    private ?EchoServer $server = null;
    /** @var list<resource> */
    private array $agents = [];

    protected function setUp(): void
    {
        parent::setUp();
        $this->server = new EchoServer('ws');
    }

    protected function tearDown(): void
    {
        $this->server?->stop();
        foreach ($this->agents as $agent) {
            proc_terminate($agent, SIGKILL);
            proc_close($agent);
        }
        parent::tearDown();
    }

    /** Host and port of an agent in a process of its own. */
    private function agent(string ...$options): string
    {
        $said = (string) fgets($this->follow('agent', '--listen', '127.0.0.1:0', ...$options));
        if (preg_match('~ws://(127\.0\.0\.1:\d+)/~', $said, $match) !== 1) {
            self::fail("the agent said: $said");
        }

        return $match[1];
    }

    /**
     * What a command of its own says, line by line; it is ended with the test.
     *
     * @return resource its output
     */
    private function follow(string ...$words)
    {
        $process = proc_open([...self::php(), dirname(__DIR__, 3) . '/bin/tusk', 'bench', ...array_values($words)], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
        self::assertIsResource($process);
        $this->agents[] = $process;

        return $pipes[1];
    }

    /** @param resource $output */
    private static function await($output, string $said): void
    {
        for ($all = ''; ($line = fgets($output)) !== false;) {
            $all .= $line;
            if (str_contains($line, $said)) {
                return;
            }
        }
        self::fail("\"$said\" was never said, only: $all");
    }

    public function testAnAgentConnectsToItsMasterAgainAndAgain(): void
    {
        $port = Ports::free();
        $agent = $this->follow('agent', '--master', "ws://127.0.0.1:$port/agents", '--reconnect', '1', '--token', 'geheim');
        self::await($agent, 'refused');
        foreach ([1, 2] as $time) {
            self::await($this->follow('master', '--listen', "127.0.0.1:$port", '--token', 'geheim'), (string) $port);
            self::await($agent, 'connected to');
            $master = array_pop($this->agents);
            self::assertIsResource($master);
            proc_terminate($master, SIGKILL);
            proc_close($master);
            self::await($agent, 'the master is gone');
        }
    }

    public function testAMasterKeepsTheReportAndTheResultOfItsRuns(): void
    {
        $port = Ports::free();
        self::await($this->follow('master', '--listen', "127.0.0.1:$port", '--token', 'geheim'), (string) $port);
        self::await($this->follow('agent', '--master', "ws://127.0.0.1:$port/agents", '--token', 'geheim'), 'connected to');
        $ask = static function (string $path, ?string $body = null) use ($port): array {
            $context = stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => 30, 'method' => $body === null ? 'GET' : 'POST', 'header' => 'Content-Type: application/json', 'content' => $body ?? '']]);
            $answer = (string) file_get_contents("http://127.0.0.1:$port$path", false, $context);

            return [(int) substr($http_response_header[0] ?? '', 9, 3), $answer];
        };
        // The agent is connected before the master has heard who it is.
        for ($until = microtime(true) + 30.0; str_contains($ask('/runs?token=geheim')[1], '"agents":[]') && microtime(true) < $until;) {
            usleep(10_000);
        }
        $plan = json_encode(['mode' => 'ws-echo', 'uri' => $this->url(), 'options' => ['connections' => 2, 'count' => 100, 'warmup' => 0]], JSON_THROW_ON_ERROR);
        [$status, $answer] = $ask('/runs?token=geheim', $plan);
        self::assertSame(200, $status, $answer);
        $id = Fields::ofJson($answer)->string('id');
        [$status, $page] = $ask("/runs/$id/report?token=geheim");
        self::assertSame(200, $status);
        self::assertMatchesRegularExpression('~^<!doctype html>.*<title>(NOT )?VALID: ws-echo~s', $page);
        self::assertSame(100, Result::fromJson($ask("/runs/$id/result?token=geheim")[1])->counters['completed']);
        self::assertSame(401, $ask("/runs/$id/report")[0]);
        self::assertSame([404, '{"error":"this run is not kept"}'], $ask('/runs/0/result?token=geheim'));
    }

    public function testAPageMissesNobodyWhoConnectsBetweenItsListAndItsStream(): void
    {
        $port = Ports::free();
        self::await($this->follow('master', '--listen', "127.0.0.1:$port"), (string) $port);
        $list = static fn (): string => (string) file_get_contents("http://127.0.0.1:$port/runs");
        $position = Fields::ofJson($list())->string('position');
        self::await($this->follow('agent', '--master', "ws://127.0.0.1:$port/agents", '--ident', 'late'), 'connected to');
        for ($until = microtime(true) + 30.0; str_contains($list(), '"agents":[]') && microtime(true) < $until;) {
            usleep(10_000);
        }
        $stream = fopen("http://127.0.0.1:$port/events?" . http_build_query(['lastEventId' => $position]), 'r');
        self::assertIsResource($stream);
        stream_set_timeout($stream, 30);
        for ($seen = ''; !str_contains($seen, 'late') && ($line = fgets($stream)) !== false;) {
            $seen .= $line;
        }
        self::assertMatchesRegularExpression('~^event: agents\R~m', $seen);
        self::assertStringContainsString('"late (127.0.0.1)"', $seen);
    }

    public function testAMasterTakesNoAgentWithoutItsSecret(): void
    {
        $port = Ports::free();
        self::await($this->follow('master', '--listen', "127.0.0.1:$port", '--token', 'geheim'), (string) $port);
        self::await($this->follow('agent', '--master', "ws://127.0.0.1:$port/agents", '--token', 'falsch'), "the master ws://127.0.0.1:$port/agents refuses this token");
        self::await($this->follow('agent', '--master', "ws://127.0.0.1:$port/agents"), 'demands a token: give it with --token');
    }

    public function testAnAgentWithoutReconnectEndsWhereNobodyListens(): void
    {
        $agent = $this->follow('agent', '--master', 'ws://127.0.0.1:1/agents');
        self::await($agent, 'refused');
        self::assertFalse(fgets($agent), 'that was its last word');
        $process = array_pop($this->agents);
        self::assertIsResource($process);
        self::assertSame(1, proc_close($process));
    }

    public function testTheWelcomeTellsTheNameAndWhetherTestsBlock(): void
    {
        $link = new ClientLink("ws://{$this->agent('--ident', 'Ädam', '--workers', '0')}/any/path");
        $welcome = json_decode((string) $link->take(10.0), true);

        self::assertIsArray($welcome);
        self::assertSame(['test_welcome', 'Ädam', 0], [$welcome['type'] ?? null, $welcome['ident'] ?? null, $welcome['num_workers'] ?? null]);
    }

    public function testAnAgentLoadsWhatItsOwnListAllows(): void
    {
        $agent = $this->agent('--allow', '192.0.2.1:81');
        $try = fn (string $url): string => self::bench('ws-echo', $url, '-c', '1', '-d', '100ms', '--timeout', '100ms', '--warmup', '0', '--drain', '0', '--agents', $agent)[1];

        self::assertStringNotContainsString('may not be loaded', $try('ws://192.0.2.1:81/'));
        self::assertStringContainsString('may not be loaded', $try('ws://192.0.2.1:82/'));
    }

    private function url(): string
    {
        return "ws://127.0.0.1:{$this->server?->port()}/";
    }

    public function testAgentsShareOnePlanOfTheCommandLine(): void
    {
        $agents = $this->agent() . ',' . $this->agent();
        [$status, $json] = self::bench('ws-echo', $this->url(), '-c', '5', '--rate', '400', '-d', '1s', '--warmup', '0', '--agents', $agents, '--json');
        $result = Result::fromJson($json);

        self::assertSame(0, $status, $json);
        self::assertSame(2, $result->facts['agents'] ?? null);
        self::assertSame(5, $result->totals['opened'], 'three and two');
        self::assertSame(400, $result->counters['completed']);
        self::assertSame(400, $result->latency['response']->count());
        $pids = array_column($result->generator->workers, 'pid');
        self::assertCount(2, array_unique($pids), 'a worker of each agent');
    }

    /** All of it passes within one look at the agents, so it is their intervals that tell. */
    public function testAShortRunOnAgentsNamesEveryPhase(): void
    {
        $agents = $this->agent() . ',' . $this->agent();
        [, $json] = self::bench('ws-echo', $this->url(), '-c', '4', '-d', '60ms', '--warmup', '40ms', '--ramp', '20ms', '--agents', $agents, '--json');
        $phases = array_column(Result::fromJson($json)->phases, null, 'name');

        self::assertSame(['connect', 'ramp', 'warmup', 'measure', 'drain', 'close'], array_keys($phases), $json);
        self::assertGreaterThan(0, $phases['measure']['length'], 'as long as one agent measures: on a busy machine it begins that late');
        self::assertGreaterThan($phases['warmup']['start'], $phases['measure']['start']);
    }

    public function testAScenarioFileRunsOnAgentsToo(): void
    {
        $file = $this->file('.yaml', "url: {$this->url()}\noptions: {connections: 2, count: 100, warmup: 0}\n");
        [$status, $json] = self::bench('run', $file, '--agents', "ws://{$this->agent()}/", '--json');

        self::assertSame(0, $status, $json);
        self::assertSame(100, Result::fromJson($json)->counters['completed']);
    }

    public function testAnAgentMayDemandASecret(): void
    {
        $agent = $this->agent('--token', 'geheim');
        $words = ['ws-echo', $this->url(), '-c', '1', '--count', '10', '--warmup', '0', '--agents', $agent];
        [$status, $text] = self::bench(...$words);
        self::assertSame(2, $status);
        self::assertStringContainsString("the agent ws://$agent/ demands a token: give it with --agents-token", $text);
        [$status, $text] = self::bench(...[...$words, '--agents-token', 'falsch']);
        self::assertSame(2, $status);
        self::assertStringContainsString("the agent ws://$agent/ refuses this token: --agents-token is not the one that it was started with", $text);
        self::assertSame(0, self::bench(...[...$words, '--agents-token', 'geheim'])[0]);
    }

    public function testWhatAnAgentMayNotLoadIsToldInItsWords(): void
    {
        [$status, $text] = self::bench('ws-echo', 'ws://192.0.2.1/', '-d', '1s', '--agents', $this->agent());

        self::assertSame(1, $status, $text);
        self::assertStringStartsWith('NOT VALID', (string) strstr($text, 'NOT VALID'));
        self::assertStringContainsString('192.0.2.1 may not be loaded from here: only this machine, and what --allow names.', $text);
    }

    /** @param list<string> $words */
    #[DataProvider('wrongUses')]
    public function testWrongUseIsSaidBeforeAnythingRuns(array $words, string $said): void
    {
        [$status, $text] = self::bench('ws-echo', $this->url(), ...$words);

        self::assertSame(2, $status, $text);
        self::assertStringContainsString($said, $text);
    }

    /** @return iterable<string, array{list<string>, string}> */
    public static function wrongUses(): iterable
    {
        yield 'nobody there' => [['--agents', '127.0.0.1:1'], 'the agent ws://127.0.0.1:1/ cannot be reached'];
        yield 'an option out of range' => [['--agents', '127.0.0.1:1', '--size', 'huge'], 'size must be'];
        yield 'calibrating others' => [['--agents', '127.0.0.1:1', '--calibrate'], '--calibrate measures this machine'];
    }
}
