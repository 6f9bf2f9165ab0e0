<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Output\BufferedOutput;
use Tusk\Bench\ProcessTree;
use Tusk\Bench\ServerRoom;
use Tusk\Console\Application;
use Tusk\Console\Argv;
use Tusk\Console\Doctor\ExtensionInfo;
use Tusk\Tests\Console\FakeLauncher;
use Tusk\Tests\Console\FakeMachine;

/** A plan that the server on this machine cannot hold is refused before anything is opened. */
#[CoversClass(ServerRoom::class)]
final class ServerRoomTest extends BenchCase
{
    /** @var resource|null */
    private $server;
    private int $pid = 0;

    protected function setUp(): void
    {
        parent::setUp();
        if (!is_readable('/proc/net/tcp') || !is_readable('/proc/self/limits')) {
            self::markTestSkipped('no /proc that tells of listeners and limits');
        }
    }

    protected function tearDown(): void
    {
        if ($this->server !== null) {
            array_map(static fn (int $child): bool => posix_kill($child, SIGKILL), ProcessTree::children($this->pid));
            proc_terminate($this->server, SIGKILL);
            proc_close($this->server);
        }
        parent::tearDown();
    }

    /** Its port; it may open 300 descriptors. */
    private function listen(?string $argument = null): int
    {
        $command = ['/bin/sh', '-c', 'ulimit -n 300 && exec "$@"', 'sh', PHP_BINARY, __DIR__ . '/server/listening.php', ...($argument === null ? [] : [$argument])];
        $this->server = proc_open($command, [1 => ['pipe', 'w']], $pipes) ?: self::fail('no process');
        $this->pid = proc_get_status($this->server)['pid'];

        return (int) fgets($pipes[1]);
    }

    /** The sentence, if there was one. */
    private static function refused(string $url, int $connections): string
    {
        try {
            ServerRoom::check($url, $connections);
        } catch (\RuntimeException $fault) {
            return $fault->getMessage();
        }

        return '';
    }

    public function testAPlanOverTheServersDescriptorsIsRefusedWithASentence(): void
    {
        $port = $this->listen();
        foreach (["ws://127.0.0.1:$port/", "http://localhost:$port/", "tcp://127.0.0.1:$port"] as $url) {
            self::assertMatchesRegularExpression("~^1,000 connections do not fit: the server \(process $this->pid\) can open 2[89]\d more descriptors; ~", self::refused($url, 1000), $url);
        }
        self::assertSame('', self::refused("ws://127.0.0.1:$port/", 250), 'these fit');
    }

    public function testTheCommandSaysItBeforeAnythingIsOpened(): void
    {
        $port = $this->listen();
        $words = ['tusk', 'bench', 'ws-echo', "ws://127.0.0.1:$port/", '-c', '150', '--idle', '150'];
        $output = new BufferedOutput();
        $application = new Application(ExtensionInfo::loaded(), new FakeLauncher(0), new FakeMachine(), typed: array_slice($words, 1));

        self::assertSame(2, $application->run(new ArgvInput(Argv::join($words, $application->names())), $output));
        self::assertStringContainsString('300 connections do not fit: the server (process ' . $this->pid . ')', $output->fetch());
    }

    public function testWhereItCannotBeKnownNothingIsSaid(): void
    {
        self::assertSame('', self::refused('ws://192.0.2.1:9001/', 100_000), 'another machine');
        self::assertSame('', self::refused('ws://127.0.0.1:1/', 100_000), 'nobody listens');
        self::assertSame('', self::refused('tcp://127.0.0.1', 100_000), 'no port');
        $port = $this->listen('with a child');
        self::assertSame('', self::refused("tcp://127.0.0.1:$port", 400), 'a server that may hand its connections to a child');
    }

    /** A child that does not listen may be handed connections, but no more than it can open. */
    public function testTheDescriptorsOfChildrenCountToo(): void
    {
        $port = $this->listen('with a child');
        [$child] = ProcessTree::children($this->pid);

        self::assertMatchesRegularExpression(
            "~^1,000 connections do not fit: the server's 2 processes \(processes $this->pid, $child: who listens on port $port, and all children\) can open 5\d\d more descriptors; ~",
            self::refused("tcp://127.0.0.1:$port", 1000),
        );
    }
}
