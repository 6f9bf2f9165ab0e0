<?php

declare(strict_types=1);

namespace Tusk\Tests\Top;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Bench\Suite\Ports;
use Tusk\WebSocket\Client;

/** The command itself, against a socket that answers what it was told. */
final class TopCommandTest extends TestCase
{
    /** @var list<resource> */
    private array $running = [];

    protected function tearDown(): void
    {
        foreach ($this->running as $process) {
            proc_terminate($process, SIGKILL);
            proc_close($process);
        }
    }

    /** Each connection gets the next of the answers, the last one again and again. */
    private function answering(string ...$answers): int
    {
        $code = '$s = stream_socket_server("tcp://127.0.0.1:0"); echo stream_socket_get_name($s, false), "\n";'
            . 'for ($i = 1; $c = stream_socket_accept($s, 60); $i++) { fgets($c); fwrite($c, $argv[min($i, $argc - 1)]); stream_socket_shutdown($c, STREAM_SHUT_WR); stream_get_contents($c); fclose($c); }';
        $process = proc_open([PHP_BINARY, '-n', '-r', $code, '--', ...array_values($answers)], [1 => ['pipe', 'w']], $pipes);
        self::assertIsResource($process);
        $this->running[] = $process;
        $name = (string) fgets($pipes[1]);

        return (int) substr((string) strrchr(trim($name), ':'), 1);
    }

    /**
     * @param list<string> $words
     *
     * @return array{int, string, string}
     */
    private function tusk(array $words): array
    {
        $process = proc_open([PHP_BINARY, dirname(__DIR__, 3) . '/bin/tusk', 'top', ...$words], [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
        self::assertIsResource($process);
        [$out, $err] = [(string) stream_get_contents($pipes[1]), (string) stream_get_contents($pipes[2])];

        return [proc_close($process), $out, $err];
    }

    private static function metrics(int $times): string
    {
        $metrics = require __DIR__ . '/metrics.php';
        self::assertIsCallable($metrics);
        $text = $metrics($times);
        self::assertIsString($text);

        return "HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text\r\n\r\n$text";
    }

    public function testItPrintsOnceWhereNoTerminalIs(): void
    {
        [$status, $out, $err] = $this->tusk(['127.0.0.1:' . $this->answering(self::metrics(1), self::metrics(2)), '-i', '100ms']);

        self::assertSame([0, ''], [$status, $err]);
        self::assertStringContainsString('45 now', $out);
        self::assertStringContainsString('1 of 3 targets down', $out);
        self::assertMatchesRegularExpression('~^  10\.0\.0\.8:5432 +DOWN ~m', $out);
        self::assertStringNotContainsString("\e", $out);
    }

    /** What it reads by another name than the server's would be 0. */
    public function testTheFiguresOfAServerAreThoseThatItTells(): void
    {
        $module = dirname(__DIR__, 3) . '/build/ext/modules/tusk.so';
        $code = '$s = new Tusk\Server(listen: "127.0.0.1:0"); $s->admin($argv[1]); $s->onListen(static function () use ($s): void { fwrite(STDOUT, "$s->port\n"); });'
            . '$s->websocket("/ws", open: fn ($c) => $c->subscribe("room")); $s->events("/events", fn ($e) => $e->subscribe("room"));'
            . '$s->get("/bad", fn () => new Tusk\Http\Response(503)); $s->get("/waits", function () { Tusk\Timer::sleep(600); }); exit($s->run());';
        $process = proc_open([PHP_BINARY, ...(is_file($module) ? ['-d', "extension=$module"] : []), '-r', $code, '--', $admin = '127.0.0.1:' . Ports::free()], [['file', '/dev/null', 'r'], ['pipe', 'w']], $pipes);
        self::assertIsResource($process);
        $this->running[] = $process;
        $port = (int) fgets($pipes[1]);
        $socket = new Client("ws://127.0.0.1:$port/ws");
        $stream = stream_socket_client("tcp://127.0.0.1:$port");
        $waits = stream_socket_client("tcp://127.0.0.1:$port");
        self::assertIsResource($stream);
        self::assertIsResource($waits);
        fwrite($stream, "GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
        self::assertStringStartsWith('HTTP/1.1 200', (string) fgets($stream));
        fwrite($waits, "GET /bad HTTP/1.1\r\nHost: x\r\n\r\nGET /waits HTTP/1.1\r\nHost: x\r\n\r\n");
        self::assertStringStartsWith('HTTP/1.1 503', (string) fgets($waits));
        $socket->ping();

        for ($end = hrtime(true) + 30e9, $out = ''; !str_contains($out, '1 wait') && hrtime(true) < $end;) {
            [$status, $out] = $this->tusk([$admin, '-i', '100ms']);
            self::assertSame(0, $status);
        }
        self::assertStringStartsWith("server $admin ", $out);
        foreach (['connections +3 now', 'sessions +1 WebSockets +1 event streams +0 handshakes', 'topics .* 2 subscriptions', 'handlers +1 wait .* 1 topics', 'responses_5xx +1 '] as $line) {
            self::assertMatchesRegularExpression("~^  $line~m", $out);
        }
        $socket->close();
    }

    public function testOnATerminalItRefreshesAndALookThatFailsIsToldAboveTheLastThatDidNot(): void
    {
        if (!is_readable('/dev/ptmx')) {
            self::markTestSkipped('no terminals here (/dev/ptmx)');
        }
        $address = '127.0.0.1:' . $this->answering(self::metrics(1), self::metrics(2), self::metrics(3), "HTTP/1.1 404 Not Found\r\n\r\n", self::metrics(4));
        $command = [PHP_BINARY, dirname(__DIR__, 3) . '/bin/tusk', 'top', $address, '-i', '100ms'];
        $process = @proc_open($command, [['pty'], ['pty'], ['file', '/dev/null', 'w']], $pipes, null, ['TERM' => 'xterm', 'COLUMNS' => '100', 'LINES' => '12'] + getenv());
        self::assertIsResource($process);
        $this->running[] = $process;
        for ($screens = '', $end = hrtime(true) + 30e9; preg_match('~no answer.*\e\[H(?:(?!no answer).)*\e\[J~s', $screens) !== 1 && hrtime(true) < $end;) {
            $screens .= fread($pipes[1], 8192);
        }
        self::assertStringStartsWith("\e[2J", $screens);
        $all = explode("\e[H\e[?7l", $screens);
        self::assertStringContainsString('200 in all', $all[1]);
        self::assertStringContainsString('300 in all', $all[2]);
        self::assertStringContainsString('no answer, this is how it was:', $all[3]);
        self::assertStringContainsString('300 in all', $all[3]);
        self::assertStringNotContainsString('no answer', $all[4]);
        self::assertLessThanOrEqual(11, substr_count($all[1], "\n"));
    }

    public function testItPrintsJson(): void
    {
        [$status, $out] = $this->tusk(['http://127.0.0.1:' . $this->answering(self::metrics(1), self::metrics(2)) . '/', '--json', '-i', '0.1']);
        $document = json_decode($out, true);

        self::assertSame(0, $status);
        self::assertIsArray($document);
        self::assertSame('proxy', $document['kind']);
        self::assertIsArray($document['rates']);
        self::assertGreaterThan(0, $document['rates']['accepted']);
    }

    /** @return iterable<string, array{string, string}> */
    public static function wrongAnswers(): iterable
    {
        yield 'another path' => ["HTTP/1.1 404 Not Found\r\n\r\n", 'answers "HTTP/1.1 404 Not Found" in place of metrics: is this the admin listener'];
        yield 'no metrics' => ["HTTP/1.1 200 OK\r\n\r\nok\n", 'there is no tusk_proxy_… and no tusk_server_…'];
        yield 'nothing' => ['', 'it answered nothing'];
        yield 'no HTTP' => ["220 mail.example ESMTP\r\n", 'answers "220 mail.example ESMTP" in place of metrics'];
    }

    #[DataProvider('wrongAnswers')]
    public function testWhatAnswersSomethingElseIsSaidWithStatus1(string $answer, string $said): void
    {
        [$status, , $err] = $this->tusk(['127.0.0.1:' . $this->answering($answer)]);

        self::assertSame(1, $status);
        self::assertStringContainsString($said, $err);
    }

    public function testNobodyThereIsSaidWithWhereMetricsAreServed(): void
    {
        [$status, , $err] = $this->tusk(['unix:/nowhere/tusk.sock']);

        self::assertSame(1, $status);
        self::assertStringContainsString('cannot reach unix:/nowhere/tusk.sock: no such file or directory', $err);
        self::assertStringContainsString('--admin ADDRESS', $err);
    }

    /** @return iterable<array{list<string>, string}> */
    public static function wrongUse(): iterable
    {
        yield [['abc'], '"abc" is no address of an admin listener'];
        yield [['ftp://x:1'], 'is no address'];
        yield [['http://[::1'], 'is no address'];
        yield [['127.0.0.1:1', '-i', '1ms'], '--interval must be from 100ms to 1h'];
        yield [['127.0.0.1:1', '--interval=often'], '--interval: "often" is not'];
    }

    /** @param list<string> $words */
    #[DataProvider('wrongUse')]
    public function testWrongUseIsSaidWithStatus2(array $words, string $said): void
    {
        [$status, , $err] = $this->tusk($words);

        self::assertSame(2, $status);
        self::assertStringContainsString($said, $err);
        self::assertStringContainsString('tusk top --help', $err);
    }

    public function testItsHelpFitsOneScreen(): void
    {
        [$status, $out] = $this->tusk(['--help']);

        self::assertSame(0, $status);
        self::assertTrue(\Tusk\Terminal\Screen::fits($out));
    }
}
