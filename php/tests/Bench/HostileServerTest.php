<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Bench\Console\Ending;
use Tusk\Bench\Result;
use Tusk\Bench\Validity;

/** What is said of a server that gives nothing to measure, in every face, and with which exit status. */
#[CoversClass(Ending::class)]
#[CoversClass(Validity::class)]
#[CoversClass(Result::class)]
final class HostileServerTest extends BenchCase
{
    /** Over before the timeout of 10 s, so that what a run says of its own accord is seen. */
    private const SHORT = ['-c', '4', '-d', '200ms', '-w', '1', '--warmup', '100ms', '--drain', '100ms'];

    /** @var resource|null */
    private $server;

    protected function tearDown(): void
    {
        $this->end();
        parent::tearDown();
    }

    private function end(): void
    {
        if ($this->server !== null) {
            proc_terminate($this->server, SIGKILL);
            proc_close($this->server);
            $this->server = null;
        }
    }

    private function serve(string $kind): int
    {
        $this->end();
        $server = proc_open([PHP_BINARY, __DIR__ . '/server/hostile.php', $kind], [1 => ['pipe', 'w']], $pipes);
        self::assertIsResource($server);
        $this->server = $server;

        return (int) fgets($pipes[1]);
    }

    /** @param list<string> $more */
    private function of(string $kind, string $mode, array $more = []): Result
    {
        $scheme = str_starts_with($mode, 'ws') ? 'ws' : 'http';
        [$status, $text] = self::bench($mode, "$scheme://127.0.0.1:{$this->serve($kind)}/", ...self::SHORT, ...['--json', $file = $this->path('.json')], ...$more);
        self::assertSame(1, $status, $text);
        self::assertStringContainsString('tusk: nothing was measured: ', $text);
        self::assertStringContainsString("NOT VALID\n  - nothing measured: ", $text);

        return Result::fromJson((string) file_get_contents($file));
    }

    #[DataProvider('neverEnding')]
    public function testWhatIsNeverAnsweredIsUnfinishedAndNothingIsMeasured(string $kind): void
    {
        $result = $this->of($kind, 'http', ['--html', $html = $this->path('.html'), '--markdown', $markdown = $this->path('.md')]);

        self::assertSame(0, $result->errors());
        self::assertSame([4, 4], [$result->unfinished(), $result->unfinishedBefore()]);
        self::assertSame(['before' => 4, 'window' => 0], $result->toArray()['unfinished']);
        $reasons = implode("\n", $result->validity->reasons);
        self::assertStringContainsString('give --timeout, shorter than the window', $reasons);
        self::assertStringContainsString('unfinished: 4 operations that began before the window', $reasons);
        self::assertStringNotContainsString('too short', $reasons);
        foreach ([$html, $markdown] as $file) {
            self::assertStringContainsString('4, 4 of them began before the window', (string) file_get_contents($file));
            self::assertStringContainsString('4 operations without an answer when the run ended', (string) file_get_contents($file));
        }
    }

    /** @return iterable<string, array{string}> */
    public static function neverEnding(): iterable
    {
        foreach (['silent', 'interims', 'endless body', 'huge chunk'] as $kind) {
            yield $kind => [$kind];
        }
    }

    #[DataProvider('failures')]
    public function testWhatBreaksTheProtocolIsAnError(string $kind, string $mode, string $counter): void
    {
        foreach (['2s', '8s', '20s'] as $longer) { // of a window without a processor nothing can be asked
            $result = $this->of($kind, $mode, ['--timeout', '500ms', ...($counter === 'timed_out' || $longer !== '2s' ? ['-d', $longer] : [])]);
            if ($result->totals[$counter] > 0) {
                break;
            }
        }

        self::assertGreaterThan(0, $result->totals[$counter], (string) json_encode(array_filter($result->totals)) . $result->whatFailed());
        self::assertStringContainsString('the errors say why', $result->validity->reasons[0]);
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function failures(): iterable
    {
        foreach (['http', 'sse', 'ws-echo', 'ws-handshake'] as $mode) {
            foreach (['rubbish', 'a word', 'a line'] as $kind) {
                yield "$kind, $mode" => [$kind, $mode, 'failed_protocol'];
            }
            yield "resets, $mode" => ['resets', $mode, 'failed_reset'];
        }
        foreach (['sse', 'ws-echo'] as $mode) {
            yield "silent, $mode" => ['silent', $mode, 'failed_timeout'];
            yield "interims, $mode" => ['interims', $mode, 'failed_status'];
        }
        yield 'a stream whose chunks are none' => ['broken stream', 'sse', 'failed_protocol'];
        yield 'silent with a timeout, http' => ['silent', 'http', 'timed_out'];
    }

    public function testAStreamWithoutAnEventMeasuresNothing(): void
    {
        $result = $this->of('stream without events', 'sse');

        self::assertSame(0, $result->errors(), 'lines that no field begins are ignored (WHATWG HTML, 9.2.6)');
        self::assertStringContainsString('nobody published', $result->validity->reasons[0]);
    }

    public function testAnAnswerTooManyIsAnError(): void
    {
        [, $text] = self::bench('http', "http://127.0.0.1:{$this->serve('twice')}/", ...self::SHORT);

        self::assertStringContainsString('messages that came twice', $text);
        self::assertStringStartsWith('NOT VALID', $text);
    }

    public function testAServerThatFallsSilentInTheWarmUpMeasuresNothing(): void
    {
        $result = $this->of('first only', 'http');

        self::assertSame(4, $result->totals['completed']);
        self::assertSame(4, $result->unfinishedBefore());
        self::assertStringContainsString('the server stopped answering', $result->validity->reasons[0]);
    }
}
