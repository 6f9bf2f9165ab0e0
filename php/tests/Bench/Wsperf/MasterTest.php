<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench\Wsperf;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Http\Client as Http;
use Tusk\Http\ClientResponse;
use Tusk\WebSocket\Client;
use Tusk\WebSocket\MessageType;
use Tusk\Bench\Wsperf\Master;

/** What a master says to agents and pages that are not as they should be; in a process of its own. */
#[CoversClass(Master::class)]
final class MasterTest extends TestCase
{
    private const PROGRAM = <<<'PHP'
        require $argv[1];
        $master = new Tusk\Bench\Wsperf\Master(new Tusk\Bench\LoadEngines(), new Tusk\Bench\Wsperf\Targets([]), '127.0.0.1:0', null);
        $master->server->onStart(static function (Tusk\Server $server): void { fwrite(STDOUT, "$server->port\n"); });
        exit($master->server->run());
        PHP;

    /** @var resource|null */
    private $master = null;
    private int $port = 0;
    private Http $http;

    protected function setUp(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension is not loaded');
        }
        $module = dirname(__DIR__, 4) . '/build/ext/modules/tusk.so';
        $command = [PHP_BINARY, ...(is_file($module) ? ['-d', "extension=$module"] : []), '-r', self::PROGRAM, '--', dirname(__DIR__, 3) . '/vendor/autoload.php'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
        self::assertIsResource($process);
        $this->master = $process;
        $this->port = (int) fgets($pipes[1]);
        $this->http = new Http();
    }

    protected function tearDown(): void
    {
        if ($this->master !== null) {
            proc_terminate($this->master, SIGKILL);
            proc_close($this->master);
        }
    }

    private function agent(): Client
    {
        return new Client("ws://127.0.0.1:$this->port/agents", subprotocols: ['wsperf']);
    }

    private function get(string $path): ClientResponse
    {
        return $this->http->get("http://127.0.0.1:$this->port$path");
    }

    /** @param array<string, mixed> $plan */
    private function post(array $plan): ClientResponse
    {
        return $this->http->post("http://127.0.0.1:$this->port/runs", json_encode($plan, JSON_THROW_ON_ERROR));
    }

    /** Until that many agents are known. */
    private function list(int $agents): mixed
    {
        for ($end = hrtime(true) + 30e9; ; usleep(10_000)) {
            $state = $this->get('/runs')->json();
            self::assertIsArray($state);
            self::assertIsArray($state['agents']);
            if (count($state['agents']) === $agents || hrtime(true) > $end) {
                return $state['agents'];
            }
        }
    }

    public function testANameIsCutBetweenItsCharacters(): void
    {
        $agent = $this->agent();
        $agent->send(json_encode(['type' => 'test_welcome', 'ident' => 'a' . str_repeat('é', 150), 'version' => str_repeat('€', 80), 'num_workers' => 'many'], JSON_THROW_ON_ERROR));
        self::assertSame([['name' => 'a' . str_repeat('é', 99) . ' (127.0.0.1)', 'version' => str_repeat('€', 66), 'workers' => 0]], $this->list(1));
        $agent->close();
        self::assertSame([], $this->list(0));
    }

    /** @return iterable<string, array{list<string>, MessageType, string}> */
    public static function rude(): iterable
    {
        yield 'no JSON' => [['hello'], MessageType::Text, 'JSON objects are wanted'];
        yield 'no object' => [['7'], MessageType::Text, 'JSON objects are wanted'];
        yield 'bytes' => [['{"type":"test_welcome"}'], MessageType::Binary, 'JSON objects are wanted'];
        yield 'two welcomes' => [['{"type":"test_welcome"}', '{"type":"test_welcome"}'], MessageType::Text, 'one welcome is enough'];
    }

    /** @param list<string> $messages */
    #[DataProvider('rude')]
    public function testAnAgentThatIsNoneIsClosedWithTheReason(array $messages, MessageType $type, string $reason): void
    {
        $agent = $this->agent();
        foreach ($messages as $message) {
            $agent->send($message, $type);
        }
        self::assertNull($agent->receive(30.0));
        self::assertSame([3000, $reason], [$agent->closeCode, $agent->closeReason]);
        self::assertSame([], $this->list(0));
    }

    public function testWithoutTheSubprotocolNobodyIsAnAgent(): void
    {
        $this->expectExceptionMessageMatches('~status 400~');
        new Client("ws://127.0.0.1:$this->port/agents");
    }

    public function testAPlanThatIsNoneIsRefusedBeforeAnybodyIsAsked(): void
    {
        $plan = ['mode' => 'ws-echo', 'uri' => 'ws://127.0.0.1:1/'];
        foreach ([
            [['mode' => 'nothing'] + $plan, 422, 'there is no mode "nothing"'],
            [['mode' => 7] + $plan, 422, 'mode'],
            [['uri' => 'ws://192.0.2.1/'] + $plan, 422, '192.0.2.1'],
            [['options' => ['allow-remote' => true]] + $plan, 422, 'ws-echo has no option "allow-remote"'],
            [['options' => ['loud' => 1]] + $plan, 422, 'ws-echo has no option "loud"'],
            [['options' => ['connections' => 0]] + $plan, 422, 'connections must be from 1'],
            [['options' => ['connections' => '', 'count' => null]] + $plan, 409, 'no agent is connected'],
        ] as [$given, $status, $said]) {
            $answer = $this->post($given);
            self::assertSame($status, $answer->status, $answer->body);
            self::assertStringContainsString($said, stripslashes($answer->body));
        }
        self::assertSame(422, $this->http->post("http://127.0.0.1:$this->port/runs", 'no JSON')->status);
        self::assertSame(['stopped' => false], $this->http->post("http://127.0.0.1:$this->port/stop")->json());
    }

    public function testAnAgentThatLeavesInTheMiddleEndsTheRunAndTheNextOneMayBegin(): void
    {
        $agent = $this->agent();
        $agent->send('{"type":"test_welcome","ident":"brief"}');
        $this->list(1);
        $posting = proc_open([PHP_BINARY, '-n', '-r', 'echo file_get_contents($argv[1], false, stream_context_create(["http" => ["method" => "POST", "ignore_errors" => true, "content" => $argv[2]]]));', '--',
            "http://127.0.0.1:$this->port/runs", '{"mode":"ws-echo","uri":"ws://127.0.0.1:1/"}'], [['file', '/dev/null', 'r'], ['pipe', 'w']], $pipes);
        self::assertIsResource($posting);
        self::assertNotNull($agent->receive(30.0)); // it is under way
        self::assertSame(409, $this->post(['mode' => 'ws-echo', 'uri' => 'ws://127.0.0.1:1/'])->status);
        $agent->close();
        $answer = (string) stream_get_contents($pipes[1]);
        proc_close($posting);
        self::assertStringContainsString('"error"', $answer);
        self::assertStringContainsString('brief (127.0.0.1)', $answer);
        self::assertSame([], $this->list(0));
        self::assertSame('{"error":"no agent is connected"}', $this->post(['mode' => 'ws-echo', 'uri' => 'ws://127.0.0.1:1/'])->body);
    }

    public function testThePageRunsNoScriptButItsOwn(): void
    {
        [$one, $other] = [$this->get('/'), $this->get('/')];
        preg_match("~script-src 'nonce-([A-Za-z0-9+/=]{16})'~", (string) $one->header('content-security-policy'), $found);
        self::assertStringContainsString('<script nonce="' . ($found[1] ?? 'none') . '"', $one->body);
        self::assertStringNotContainsString('{nonce}', $one->body);
        self::assertNotSame($one->header('content-security-policy'), $other->header('content-security-policy'));
        self::assertSame('no-store', $one->header('cache-control'));
    }
}
