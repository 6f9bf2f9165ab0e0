<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** server.php as somebody runs it. */
final class ServerTest extends TestCase
{
    /** @return array{int, string} its exit status, and what it says of errors */
    private static function start(string ...$arguments): array
    {
        $module = dirname(__DIR__, 3) . '/build/ext/modules/tusk.so';
        $process = proc_open(
            array_values([PHP_BINARY, ...(is_file($module) ? ['-d', "extension=$module"] : []), dirname(__DIR__) . '/server.php', ...$arguments]),
            [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['pipe', 'w']],
            $pipes,
        );
        self::assertIsResource($process);
        $errors = (string) stream_get_contents($pipes[2]);

        return [proc_close($process), $errors];
    }

    protected function setUp(): void
    {
        if (!extension_loaded('tusk')) {
            self::markTestSkipped('the extension tusk is not there');
        }
    }

    public function test_a_port_that_is_taken_is_one_line_and_status_3(): void
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($socket);
        $port = explode(':', (string) stream_socket_get_name($socket, false))[1];
        [$status, $errors] = self::start($port);
        self::assertSame(3, $status);
        self::assertStringEndsWith("dashboard: cannot listen on 127.0.0.1:$port: address already in use; choose another port, or 0 for any that is free\n", $errors);
    }

    public function test_without_the_extension_it_is_one_line_and_status_3(): void
    {
        $process = proc_open([PHP_BINARY, '-n', dirname(__DIR__) . '/server.php'], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
        self::assertIsResource($process);
        $said = stream_get_contents($pipes[1]) . stream_get_contents($pipes[2]);
        self::assertSame(3, proc_close($process));
        self::assertMatchesRegularExpression('~^The extension "tusk" is not loaded: run `make ext`[^\n]*\n$~', $said);
    }

    /** @return iterable<string, array{string, string}> */
    public static function wrong(): iterable
    {
        yield 'no port' => ['99999', '~dashboard: [^\n]+ must be an address [^\n]+\n$~'];
        yield 'no port of so many digits' => ['199999', '~dashboard: [^\n]+ must be an address [^\n]+\n$~'];
        yield 'no time' => ['--delay=soon', '~dashboard: --delay=soon is no number of milliseconds\n$~'];
        yield 'no option' => ['--dellay=1', '~usage: ~'];
    }

    #[DataProvider('wrong')]
    public function test_a_value_that_none_may_have_is_one_line_and_status_2(string $argument, string $said): void
    {
        [$status, $errors] = self::start($argument);
        self::assertSame(2, $status);
        self::assertMatchesRegularExpression($said, $errors);
    }
}
