<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench\Wsperf;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Output\BufferedOutput;
use Tusk\Bench\EchoServer;
use Tusk\Bench\Result;
use Tusk\Bench\Wsperf\AgentsEngines;
use Tusk\Bench\Wsperf\ClientLink;
use Tusk\Console\Application;
use Tusk\Console\Argv;
use Tusk\Console\ExtensionInfo;
use Tusk\Tests\Bench\BenchCase;
use Tusk\Tests\Console\FakeLauncher;
use Tusk\Tests\Console\FakeMachine;

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
        $extension = dirname(__DIR__, 4) . '/build/ext/modules/tusk.so';
        $loaded = is_file($extension) ? ['-d', "extension=$extension"] : [];
        $command = [PHP_BINARY, ...$loaded, dirname(__DIR__, 3) . '/bin/tusk', 'bench', 'agent', '--listen', '127.0.0.1:0', ...array_values($options)];
        $agent = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
        self::assertIsResource($agent);
        $this->agents[] = $agent;
        $said = (string) fgets($pipes[1]);
        if (preg_match('~ws://(127\.0\.0\.1:\d+)/~', $said, $match) !== 1) {
            self::fail("the agent said: $said");
        }

        return $match[1];
    }

    /** @return array{int, string} */
    private function tusk(string ...$words): array
    {
        $output = new BufferedOutput();
        $application = new Application(ExtensionInfo::loaded(), new FakeLauncher(0), new FakeMachine(), typed: array_values($words));
        $status = $application->run(new ArgvInput(Argv::join(['tusk', 'bench', ...array_values($words)], $application->names())), $output);

        return [$status, $output->fetch()];
    }

    private function url(): string
    {
        return "ws://127.0.0.1:{$this->server?->port()}/";
    }

    public function testAgentsShareOnePlanOfTheCommandLine(): void
    {
        $agents = $this->agent() . ',' . $this->agent();
        [$status, $json] = $this->tusk('ws-echo', $this->url(), '-c', '5', '--rate', '400', '-d', '1s', '--warmup', '0', '--agents', $agents, '--json');
        $result = Result::fromJson($json);

        self::assertSame(0, $status, $json);
        self::assertSame(2, $result->facts['agents'] ?? null);
        self::assertSame(5, $result->totals['opened'], 'three and two');
        self::assertSame(400, $result->counters['completed']);
        self::assertSame(400, $result->latency['response']->count());
        $pids = array_column($result->generator->workers, 'pid');
        self::assertCount(2, array_unique($pids), 'a worker of each agent');
    }

    public function testAScenarioFileRunsOnAgentsToo(): void
    {
        $file = $this->file('.yaml', "url: {$this->url()}\noptions: {connections: 2, count: 100, warmup: 0}\n");
        [$status, $json] = $this->tusk('run', $file, '--agents', "ws://{$this->agent()}/", '--json');

        self::assertSame(0, $status, $json);
        self::assertSame(100, Result::fromJson($json)->counters['completed']);
    }

    public function testAnAgentMayDemandASecret(): void
    {
        $agent = $this->agent('--token', 'geheim');
        $words = ['ws-echo', $this->url(), '-c', '1', '--count', '10', '--warmup', '0', '--agents', $agent];
        [$status, $text] = $this->tusk(...$words);
        self::assertSame(2, $status);
        self::assertStringContainsString("the agent ws://$agent/ cannot be reached", $text);
        self::assertSame(0, $this->tusk(...[...$words, '--agents-token', 'geheim'])[0]);
    }

    public function testWhatAnAgentMayNotLoadIsToldInItsWords(): void
    {
        [$status, $text] = $this->tusk('ws-echo', 'ws://192.0.2.1/', '-d', '1s', '--agents', $this->agent());

        self::assertSame(1, $status, $text);
        self::assertStringStartsWith('NOT VALID', (string) strstr($text, 'NOT VALID'));
        self::assertStringContainsString('192.0.2.1 may not be loaded from here: only this machine, and what --allow names.', $text);
    }

    /** @param list<string> $words */
    #[DataProvider('wrongUses')]
    public function testWrongUseIsSaidBeforeAnythingRuns(array $words, string $said): void
    {
        [$status, $text] = $this->tusk('ws-echo', $this->url(), ...$words);

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
