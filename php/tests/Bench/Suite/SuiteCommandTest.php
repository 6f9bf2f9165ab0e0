<?php

declare(strict_types=1);

namespace Tusk\Tests\Bench\Suite;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use Tusk\Bench\Console\SuiteCommand;
use Tusk\Bench\Fields;
use Tusk\Tests\Bench\BenchCase;

/** `tusk bench suite` in a process of its own, which it ties to a core. */
#[CoversClass(SuiteCommand::class)]
final class SuiteCommandTest extends BenchCase
{
    /** @return array{int, string, string} status, output and errors */
    private static function suite(string ...$words): array
    {
        $process = proc_open([...self::php(), dirname(__DIR__, 3) . '/bin/tusk', 'bench', 'suite', ...array_values($words)], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
        self::assertIsResource($process);
        [$out, $err] = [(string) stream_get_contents($pipes[1]), (string) stream_get_contents($pipes[2])];

        return [proc_close($process), $out, $err];
    }

    public function testATableGoesToTheTerminalOrToAFile(): void
    {
        [$status, $out] = self::suite('protocol', '5', '--peers', 'tusk');
        self::assertSame(0, $status);
        self::assertMatchesRegularExpression('~^\| encode text, 64 B, ops/s \|~m', $out);
        [$status, $out] = self::suite('protocol', '5', '--peers', 'tusk', '--json', '--output', $file = $this->path('.json'));
        self::assertSame([0, ''], [$status, $out]);
        self::assertSame('protocol', Fields::ofJson((string) file_get_contents($file))->string('suite'));
    }

    public function testATableThatItsFileDoesNotTakeIsShown(): void
    {
        if (!is_writable('/dev/full')) {
            self::markTestSkipped('no /dev/full');
        }
        [$status, $out, $err] = self::suite('protocol', '5', '--peers', 'tusk', '--output', '/dev/full');
        self::assertSame(2, $status);
        self::assertStringContainsString('/dev/full cannot be written', $err);
        self::assertStringContainsString('encode text, 64 B', $out);
    }

    /** @return iterable<array{string, list<string>}> */
    public static function wrong(): iterable
    {
        yield ['there is no such suite; known are protocol, server-runtime, message-runtime, chat', ['nothing']];
        yield ['iterations is "many"; a whole number from 1 to', ['protocol', 'many']];
        yield ['this suite takes iterations, and nothing like "2"', ['protocol', '1', '2']];
        yield ['the transport is "quic"; ws, wss and both are known', ['message-runtime', '1', '1', '1', 'quic']];
        yield ['there is no peer "nobody"', ['chat', '--peers', 'nobody']];
        yield ['--output /no/such/folder/x: there is no folder for it', ['chat', '--output', '/no/such/folder/x']];
    }

    /** @param list<string> $words */
    #[DataProvider('wrong')]
    public function testWrongUseIsSaidBeforeAnythingRuns(string $said, array $words): void
    {
        [$status, $out, $err] = self::suite(...$words);
        self::assertSame([2, ''], [$status, $out]);
        self::assertStringContainsString($said, $err);
        self::assertStringContainsString('tusk bench suite --help', $err);
    }
}
