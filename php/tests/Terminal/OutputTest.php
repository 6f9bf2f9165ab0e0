<?php

declare(strict_types=1);

namespace Tusk\Tests\Terminal;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\TestCase;
use Tusk\Terminal\Output;

#[CoversClass(Output::class)]
final class OutputTest extends TestCase
{
    /** Who shares it with another process has it as that one made it. */
    public function testAPipeThatDoesNotWaitTakesAllInTheEnd(): void
    {
        [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) ?: self::fail('no pair of sockets');
        stream_set_blocking($there, false);
        $code = 'require $argv[1]; (new Tusk\Terminal\Output())->write(str_repeat("0123456789abcdef", 1 << 17)); fwrite(STDERR, "written");';
        $process = proc_open([PHP_BINARY, '-r', $code, '--', dirname(__DIR__, 2) . '/vendor/autoload.php'], [['file', '/dev/null', 'r'], $there, ['pipe', 'w']], $pipes);
        self::assertIsResource($process);
        fclose($there);
        stream_set_blocking($pipes[2], false);
        self::assertSame('0', fread($here, 1)); // of 2 MiB no pair of sockets takes half
        self::assertSame('', stream_get_contents($pipes[2]));
        self::assertSame((16 << 17) - 1, strlen((string) stream_get_contents($here)));
        stream_set_blocking($pipes[2], true);
        self::assertSame('written', stream_get_contents($pipes[2]));
        self::assertSame(0, proc_close($process));
    }
}
