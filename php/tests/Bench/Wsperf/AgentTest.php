<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench\Wsperf;

use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Bench\Console\Ending;
use Tusk\Bench\EchoServer;
use Tusk\Bench\LoadEngines;
use Tusk\Bench\Mode;
use Tusk\Bench\Plan;
use Tusk\Bench\Run;
use Tusk\Bench\Wsperf\Agent;
use Tusk\Bench\Wsperf\AgentsEngine;
use Tusk\Bench\Wsperf\Link;
use Tusk\Bench\Wsperf\Targets;
use Tusk\Terminal\ExitCode;
use Tusk\Tests\Bench\BenchCase;

/** The agent's side of the protocol, with the engine against an echo server, and several agents under one plan. */
final class AgentTest extends BenchCase
{
    private const PATIENCE = 20.0;

    public function testAMessageTestTellsWhatWsperfTells(): void
    {
        $said = $this->talk(sprintf(
            'message_test:uri=ws://127.0.0.1:%d/;token=t1;size=128;count=100;timeout=10000;binary=true;sync=true;correctness=exact;quantile_count=10;rtts=true;',
            $this->echoServer()->port(),
        ));
        self::assertSame(['test_welcome', 'test_start', 'test_data', 'test_complete'], array_column($said, 'type'));
        self::assertSame('me', $said[0]['ident']);
        self::assertSame(['worker_id' => 0], $said[1]['data']);
        $data = $said[2]['data'];
        self::assertIsArray($data);
        self::assertSame('pass', $data['result']);
        self::assertSame(12800, $data['bytes']);
        self::assertIsArray($data['quantiles']);
        self::assertIsArray($data['rtts']);
        self::assertCount(10, $data['quantiles']);
        self::assertCount(100, $data['rtts']);
        self::assertSame($data['max'], end($data['rtts']));
        $sorted = $data['rtts'];
        sort($sorted);
        self::assertSame($sorted, $data['rtts']);
    }

    /** @param array<string, mixed> $expected */
    #[DataProvider('messageTests')]
    public function testAMessageTestEndsAsTheServerDeserves(string $answer, string $arguments, array $expected): void
    {
        $code = <<<'PHP'
            $server = new Tusk\WebSocket\Server();
            $server->listen('127.0.0.1', 0);
            $server->onMessage(fn ($c, $m, $t) => match ($argv[1]) { 'echo' => $c->send($m, $t), 'reversed' => $c->send(strrev($m), $t), 'shorter' => $c->send(substr($m, 1), $t), default => null });
            $server->onStart(fn () => print "$server->port\n");
            $server->run();
            PHP;
        $process = proc_open([...self::php(), '-r', $code, $answer], [['file', '/dev/null', 'r'], ['pipe', 'w'], STDERR], $pipes);
        self::assertIsResource($process);
        try {
            $port = (int) fgets($pipes[1]);
            $data = $this->talk("message_test:uri=ws://127.0.0.1:$port/;token=t;$arguments;quantile_count=2;")[2]['data'] ?? null;
        } finally {
            proc_terminate($process, SIGKILL);
            proc_close($process);
        }
        self::assertIsArray($data);
        self::assertSame($expected, array_intersect_key($data, $expected));
        self::assertSame(str_contains($arguments, 'rtts=true'), isset($data['rtts']));
    }

    /** @return iterable<string, array{string, string, array<string, mixed>}> */
    public static function messageTests(): iterable
    {
        $common = 'binary=false;rtts=false';
        yield 'bytes are compared' => ['reversed', "size=20;count=5;timeout=5000;sync=true;correctness=exact;$common", ['result' => 'fail']];
        yield 'lengths are' => ['reversed', "size=20;count=5;timeout=5000;sync=true;correctness=length;$common", ['result' => 'pass', 'bytes' => 100]];
        yield 'other lengths fail' => ['shorter', "size=20;count=5;timeout=5000;sync=true;correctness=length;$common", ['result' => 'fail']];
        yield 'silence' => ['none', "size=20;count=5;timeout=200;sync=true;correctness=exact;$common", ['result' => 'time_out', 'bytes' => 0]];
        yield 'all at once' => ['echo', "size=20;count=50;timeout=5000;sync=false;correctness=exact;$common", ['result' => 'pass', 'bytes' => 1000]];
        yield 'nothing in them' => ['echo', 'size=0;count=5;timeout=0;sync=true;correctness=exact;binary=true;rtts=true', ['result' => 'pass', 'bytes' => 0]];
    }

    public function testAStressTestTellsOfEachConnection(): void
    {
        $said = $this->talk(sprintf(
            'stress_test:uri=ws://127.0.0.1:%d/;token=t1;connection_count=5;handshake_delay=2;msg_count=3;msg_size=10;msg_mode=fixed;',
            $this->echoServer()->port(),
        ));
        self::assertSame(['test_welcome', 'test_start', 'test_data', 'test_complete'], array_column($said, 'type'));
        $data = $said[2]['data'];
        self::assertIsArray($data);
        self::assertSame([5, 0], [$data['total_connections'], $data['failed_connections']]);
        self::assertIsArray($data['connection_data']);
        self::assertCount(5, $data['connection_data']);
        foreach ($data['connection_data'] as $i => $connection) {
            self::assertIsArray($connection);
            self::assertSame([$i, 'Closed', 0], [$connection['id'], $connection['status'], $connection['fail']]);
            self::assertIsArray($connection['messages']);
            self::assertCount(3, $connection['messages']);
            $times = [$connection['start'], $connection['tcp'], $connection['open']];
            foreach ($connection['messages'] as $pair) {
                self::assertIsArray($pair);
                array_push($times, ...array_values($pair));
            }
            array_push($times, $connection['close_sent'], $connection['close']);
            $sorted = $times;
            sort($sorted);
            self::assertSame($sorted, $times);
        }
    }

    /** wsperf parses it; here `fixed` holds the connections, and no word of wsperf's is refused. */
    public function testAStressTestTakesEveryLifetime(): void
    {
        // An hour that had an effect would never end.
        foreach (['random' => 3_600_000, 'infinite' => 3_600_000, 'fixed' => 50, 'as ever' => 50] as $lifetime => $duration) {
            $data = $this->talk(sprintf(
                'stress_test:uri=ws://127.0.0.1:%d/;token=t1;handshake_delay=0;con_lifetime=%s;con_duration=%d;',
                $this->echoServer()->port(),
                $lifetime,
                $duration,
            ))[2]['data'] ?? null;
            self::assertIsArray($data, $lifetime);
            self::assertSame([1, 0], [$data['total_connections'], $data['failed_connections']], $lifetime);
            self::assertIsArray($data['connection_data']);
            $one = $data['connection_data'][0] ?? null;
            self::assertIsArray($one);
            if ($duration === 50) {
                self::assertIsInt($one['open']);
                self::assertGreaterThanOrEqual($one['open'] + 50_000, $one['close_sent'], $lifetime);
            }
        }
    }

    public function testAStressTestOnNobodyFails(): void
    {
        $data = $this->talk('stress_test:uri=ws://127.0.0.1:1/;token=t1;connection_count=2;handshake_delay=0;')[2]['data'] ?? null;
        self::assertIsArray($data);
        self::assertSame([2, 2], [$data['total_connections'], $data['failed_connections']]);
    }

    public function testWhatIsWrongIsAnErrorWithItsToken(): void
    {
        self::assertSame(['error', '', 'Invalid Command'], self::last($this->talk('no command')));
        self::assertSame(['error', 'x', 'Invalid Command'], self::last($this->talk('fly:token=x;')));
        self::assertSame(['error', 'x', 'Invalid size parameter.'], self::last($this->talk('message_test:uri=ws://127.0.0.1:1/;token=x;size=-4;')));
        self::assertSame(
            ['error', 'x', '192.0.2.1 may not be loaded from here: only this machine, and what --allow names.'],
            self::last($this->talk('message_test:uri=ws://192.0.2.1/;token=x;')),
        );
        self::assertSame(['error', 'x', 'Invalid allow-remote parameter.'], self::last($this->talk('bench_test:uri=ws://127.0.0.1:1/;token=x;mode=ws-echo;allow-remote=true;')));
    }

    public function testAServerThatIsNotThereIsAFailedConnection(): void
    {
        $said = $this->talk('message_test:uri=ws://127.0.0.1:1/;token=x;size=1;count=1;timeout=5000;binary=false;sync=true;correctness=length;quantile_count=1;rtts=false;');
        self::assertSame(['result' => 'connection_failed'], $said[2]['data']);
    }

    public function testACommanderThatLeavesTakesItsTestsAlong(): void
    {
        $agent = self::agent();
        $agent->join('c', static function (string $text): void {});
        $uri = 'ws://127.0.0.1:' . $this->echoServer()->port() . '/';
        for ($i = 0; $i < 4; $i++) {
            $agent->take('c', "message_test:uri=$uri;token=t$i;size=1;count=10000000;timeout=0;binary=false;sync=true;correctness=length;quantile_count=1;rtts=false;");
        }
        $agent->tick();
        self::assertFalse($agent->idle());
        $agent->leave('c');
        self::assertTrue(self::settle($agent));
    }

    public function testSeveralAgentsRunOnePlanAndTheirHistogramsMerge(): void
    {
        $result = $this->spread([self::link(self::agent()), self::link(self::agent())]);
        self::assertFalse($result->partial);
        self::assertSame([], $result->errors() > 0 ? $result->totals : []);
        self::assertSame(5, $result->totals['opened']);
        self::assertSame(2000, $result->counters['completed']);
        self::assertSame(2000, $result->latency['response']->count());
        self::assertCount(2, $result->generator->workers);
        self::assertNotSame([], array_filter($result->measured(), static fn (\Tusk\Bench\Interval $interval): bool => $interval->count > 0));
    }

    public function testALostAgentMakesTheRunPartialAndIsNamed(): void
    {
        $lost = self::link(self::agent(), 8);
        $result = $this->spread([self::link(self::agent()), $lost]);
        self::assertTrue($result->partial);
        self::assertContains('a worker reports: the agent lost one was lost', $result->validity->reasons);
        self::assertGreaterThan(0, $result->latency['response']->count());
    }

    /** @return iterable<string, array{list<array<string, mixed>>, string}> what it says to the plan, and what is said of it */
    public static function liars(): iterable
    {
        $start = ['type' => 'test_start', 'data' => ['worker_id' => 0]];
        $end = ['type' => 'test_complete', 'data' => ''];
        yield 'silent' => [[], 'the agent liar said nothing for 0.3 s'];
        yield 'silent after its start' => [[$start], 'the agent liar said nothing for 0.3 s'];
        yield 'no result' => [[$start, $end], 'the agent liar ended without a result'];
        yield 'nonsense' => [[$start, ['type' => 'test_data', 'data' => ['kind' => 'result', 'counters' => 'many']], $end], 'the agent liar sent what is no result: '];
        yield 'a histogram that is none' => [[['type' => 'test_data', 'data' => ['kind' => 'interval', 'phase' => 'measure', 'response' => 'HISTFAAAA']]], 'the agent liar sent what is no result: '];
        yield 'control characters' => [[['type' => 'error', 'data' => "no\e[31m!"]], 'a worker reports: no [31m!'];
    }

    /** @param list<array<string, mixed>> $says */
    #[DataProvider('liars')]
    public function testAnAgentThatLiesEndsTheRunAndIsNamed(array $says, string $said): void
    {
        $liar = new class ($says) implements Link {
            /** @var list<string> */
            private array $inbox = [];

            /** @param list<array<string, mixed>> $says */
            public function __construct(private readonly array $says) {}

            public function name(): string
            {
                return 'liar';
            }

            public function send(string $command): void
            {
                $says = str_starts_with($command, 'bench_test:') ? $this->says : (str_starts_with($command, 'clock:') ? [['type' => 'clock', 'data' => ['time' => (int) (microtime(true) * 1e6)]]] : []);
                $token = preg_match('~token=([^;]*);~', $command, $m) === 1 ? $m[1] : '';
                foreach ($says as $message) {
                    $this->inbox[] = json_encode(['token' => $token, ...$message], JSON_THROW_ON_ERROR);
                }
            }

            public function take(float $seconds): ?string
            {
                if ($this->inbox === []) {
                    usleep((int) ($seconds * 1e6));
                }

                return array_shift($this->inbox);
            }

            public function isOpen(): bool
            {
                return true;
            }
        };
        $options = ['connections' => 1, 'duration' => 1];
        $known = (new LoadEngines())->options(Mode::WsEcho);
        $plan = new Plan(Mode::WsEcho, 'ws://127.0.0.1:1/', $options);
        $result = (new Run($plan, new AgentsEngine([$liar], $plan->mode, $plan->url, $options, $known, 0.3), self::nobody()))->measure();

        self::assertTrue($result->partial);
        self::assertStringContainsString($said, implode("\n", $result->validity->reasons));
        self::assertSame(ExitCode::TargetFailed, Ending::of($result, false));
    }

    /** @param non-empty-list<Link> $links */
    private function spread(array $links): \Tusk\Bench\Result
    {
        $engines = new LoadEngines();
        $options = ['connections' => 5, 'rate' => 1000, 'duration' => 2, 'warmup' => 0.2];
        $plan = new Plan(Mode::WsEcho, 'ws://127.0.0.1:' . $this->echoServer()->port() . '/', $options);

        return (new Run($plan, new AgentsEngine($links, $plan->mode, $plan->url, $options, $engines->options($plan->mode)), self::nobody()))->measure();
    }

    /** A line to an agent in this process; it breaks after so many messages. */
    private static function link(Agent $agent, int $breaksAfter = PHP_INT_MAX): Link
    {
        return new class ($agent, $breaksAfter) implements Link {
            /** @var list<string> */
            private array $inbox = [];

            public function __construct(private readonly Agent $agent, private int $left)
            {
                $agent->join('m', function (string $text): void {
                    $this->inbox[] = $text;
                });
            }

            public function name(): string
            {
                return $this->left < PHP_INT_MAX - 1_000_000 ? 'lost one' : 'good one';
            }

            public function send(string $command): void
            {
                $this->agent->take('m', $command);
            }

            public function take(float $seconds): ?string
            {
                for ($until = microtime(true) + $seconds; $this->inbox === [] && microtime(true) < $until; usleep(1000)) {
                    $this->agent->tick();
                }
                if ($this->inbox === [] || !$this->isOpen()) {
                    return null;
                }
                $this->left--;

                return array_shift($this->inbox);
            }

            public function isOpen(): bool
            {
                return $this->left > 0;
            }
        };
    }

    private function echoServer(): EchoServer
    {
        return $this->echo ??= new EchoServer('ws');
    }

    private ?EchoServer $echo = null;

    protected function tearDown(): void
    {
        $this->echo?->stop();
        $this->echo = null;
        parent::tearDown();
    }

    private static function agent(): Agent
    {
        return new Agent(new LoadEngines(), new Targets(), 'me', 2);
    }

    /** @return list<array<string, mixed>> what the agent said until the test's end */
    private function talk(string $command): array
    {
        $said = [];
        $agent = self::agent();
        $agent->join('c', static function (string $text) use (&$said): void {
            $said[] = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        });
        $agent->take('c', $command);
        self::assertTrue(self::settle($agent), 'the test ends');

        /** @var list<array<string, mixed>> $said */
        return $said;
    }

    private static function settle(Agent $agent): bool
    {
        for ($until = microtime(true) + self::PATIENCE; !$agent->idle() && microtime(true) < $until; usleep(2000)) {
            $agent->tick();
        }

        return $agent->idle();
    }

    /**
     * @param list<array<string, mixed>> $said
     *
     * @return array{mixed, mixed, mixed}
     */
    private static function last(array $said): array
    {
        $last = $said[count($said) - 1] ?? [];

        return [$last['type'] ?? null, $last['token'] ?? null, $last['data'] ?? null];
    }
}
