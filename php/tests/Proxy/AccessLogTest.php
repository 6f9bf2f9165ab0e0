<?php

declare(strict_types=1);

namespace Tusk\Tests\Proxy;

use PHPUnit\Framework\TestCase;
use Tusk\Proxy\AccessLog;

final class AccessLogTest extends TestCase
{
    /**
     * A log in a pipe that both have open already, so that its name is gone: the reader, and what writes a record of that number, its path that long.
     *
     * @return array{resource, \Closure(int, int): void}
     */
    private static function piped(): array
    {
        $path = sys_get_temp_dir() . '/tusk-access-' . getmypid();
        self::assertTrue(posix_mkfifo($path, 0600));
        try {
            $reader = self::opened($path, 'r+');
            stream_set_blocking($reader, false);
            $log = (new \ReflectionFunction(AccessLog::to($path)))->getClosureThis();
            self::assertInstanceOf(AccessLog::class, $log);
        } finally {
            unlink($path);
        }
        $put = new \ReflectionMethod($log, 'put');

        return [$reader, static function (int $i, int $length) use ($log, $put): void {
            $put->invoke($log, json_encode(['record' => $i, 'path' => str_repeat('x', $length)], JSON_THROW_ON_ERROR) . "\n");
        }];
    }

    /** A loop that waits for the reader of its log serves nobody. */
    public function testAPipeThatNobodyReadsHoldsUpNobodyAndItsLossIsTold(): void
    {
        [$reader, $put] = self::piped();
        $length = static fn (int $i): int => $i === 0 ? 10 : 3 * 4096 + $i;
        for ($i = 0; $i < 20; $i++) {
            $put($i, $length($i));
        }
        $text = self::drained($reader);
        $put(20, $length(20));
        $lines = explode("\n", rtrim($text . self::drained($reader)));
        $records = array_map(static fn (string $line): mixed => json_decode($line, true), $lines);
        $lost = array_sum(array_column(array_filter($records, is_array(...)), 'lost'));
        $whole = array_column(array_filter($records, is_array(...)), 'record');
        self::assertSame(range(0, count($whole) - 2), array_slice($whole, 0, -1));
        self::assertSame(20, end($whole));
        self::assertGreaterThan(5, $lost);
        self::assertSame(21, $lost + count($whole));
        self::assertCount(count($whole) + 2, $records, 'one that was cut, and the line that tells of the loss');
    }

    /** What tells of a loss fits in, and the record behind it does not: the loss is told, and only that record is one more. */
    public function testALossThatAPipeWasToldIsNotToldAgain(): void
    {
        [$reader, $put] = self::piped();
        $put(0, 100_000); // more than the pipe takes
        $text = self::drained($reader);
        $put(1, 100_000);
        $text .= self::drained($reader);
        $put(2, 10);
        $text .= self::drained($reader);
        $records = array_map(static fn (string $line): mixed => json_decode($line, true), explode("\n", rtrim($text)));
        self::assertSame([1, 1], array_column(array_filter($records, is_array(...)), 'lost'));
        self::assertSame([2], array_column(array_filter($records, is_array(...)), 'record'));
    }

    /** Of a busy proxy that opens its log again: stream_select() takes no such number. */
    public function testAPipeWithADescriptorFrom1024OnIsWrittenTo(): void
    {
        $most = posix_getrlimit()['soft openfiles'] ?? 0;
        if (\is_int($most) && $most < 1200) {
            self::markTestSkipped("a process may have $most descriptors");
        }
        $files = array_map(static fn () => fopen('/dev/null', 'r'), range(1, 1024));
        [$reader, $put] = self::piped();
        $put(1, 10);
        self::assertStringContainsString('"record":1', self::drained($reader));
        self::assertCount(1024, $files);
    }

    /** A limit of the file stands for a full disk: it takes a part of a record, then nothing, and later there is room again. */
    public function testWhatAFullDiskDidNotTakeIsCountedAndNothingIsGluedToWhatWasCut(): void
    {
        $root = dirname(__DIR__, 3);
        $path = sys_get_temp_dir() . '/tusk-access-full-' . getmypid();
        $program = <<<'PHP'
            require $argv[1] . '/php/vendor/autoload.php';
            $log = (new ReflectionFunction(Tusk\Proxy\AccessLog::to($argv[2])))->getClosureThis();
            $put = new ReflectionMethod($log, 'put');
            $record = fn (int $i): string => json_encode(['record' => $i, 'path' => str_repeat('x', 280)]) . "\n";
            for ($i = 0; $i < 20; $i++) {
                $put->invoke($log, $record($i));
            }
            exec('prlimit --fsize=unlimited --pid ' . getmypid());
            $put->invoke($log, $record(20));
            $put->invoke($log, $record(21));
            PHP;
        $command = sprintf(
            "trap '' XFSZ; exec prlimit --fsize=4096:unlimited %s -d error_log= -d log_errors=1 -d display_errors=0 -d extension=%s -r %s %s %s",
            escapeshellarg(PHP_BINARY),
            escapeshellarg("$root/build/ext/modules/tusk.so"),
            escapeshellarg($program),
            escapeshellarg($root),
            escapeshellarg($path),
        );
        try {
            $process = proc_open(['sh', '-c', $command], [2 => ['pipe', 'w']], $pipes);
            self::assertIsResource($process);
            $said = (string) stream_get_contents($pipes[2]);
            self::assertSame(0, proc_close($process), $said);
            $lines = explode("\n", rtrim((string) file_get_contents($path)));
        } finally {
            @unlink($path);
        }
        $records = array_map(static fn (string $line): mixed => json_decode($line, true), $lines);
        $whole = array_column(array_filter($records, is_array(...)), 'record');
        self::assertCount(1, array_filter($records, is_null(...)), 'one was cut');
        self::assertSame([...range(0, count($whole) - 3), 20, 21], $whole);
        self::assertSame([22 - count($whole)], array_column(array_filter($records, is_array(...)), 'lost'));
        self::assertSame(1, substr_count($said, 'cannot be written, records are lost: '), $said);
        self::assertStringContainsString('is written again, ' . (22 - count($whole)) . ' records are lost', $said);
    }

    /** @return resource */
    private static function opened(string $path, string $mode)
    {
        $stream = fopen($path, $mode);
        self::assertIsResource($stream);

        return $stream;
    }

    /** @param resource $reader */
    private static function drained($reader): string
    {
        $text = '';
        while (($more = (string) fread($reader, 65536)) !== '') {
            $text .= $more;
        }

        return $text;
    }
}
