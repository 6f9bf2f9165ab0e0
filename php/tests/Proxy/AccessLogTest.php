<?php

declare(strict_types=1);

namespace Tusk\Tests\Proxy;

use PHPUnit\Framework\TestCase;
use Tusk\Proxy\AccessLog;

final class AccessLogTest extends TestCase
{
    /** A loop that waits for the reader of its log serves nobody. */
    public function testAPipeThatNobodyReadsHoldsUpNobodyAndItsLossIsTold(): void
    {
        $path = sys_get_temp_dir() . '/tusk-access-' . getmypid();
        self::assertTrue(posix_mkfifo($path, 0600));
        try {
            $reader = self::opened($path, 'r+');
            stream_set_blocking($reader, false);
            $log = (new \ReflectionFunction(AccessLog::to($path)))->getClosureThis();
            self::assertInstanceOf(AccessLog::class, $log);
            $put = new \ReflectionMethod($log, 'put');
            $record = static fn (int $i): string => json_encode(['record' => $i, 'path' => str_repeat('x', $i === 0 ? 10 : 3 * 4096 + $i)], JSON_THROW_ON_ERROR) . "\n";
            for ($i = 0; $i < 20; $i++) {
                $put->invoke($log, $record($i));
            }
            $text = self::drained($reader);
            $put->invoke($log, $record(20));
            $lines = explode("\n", rtrim($text . self::drained($reader)));
        } finally {
            unlink($path);
        }
        $records = array_map(static fn (string $line): mixed => json_decode($line, true), $lines);
        $lost = array_sum(array_column(array_filter($records, is_array(...)), 'lost'));
        $whole = array_column(array_filter($records, is_array(...)), 'record');
        self::assertSame(range(0, count($whole) - 2), array_slice($whole, 0, -1));
        self::assertSame(20, end($whole));
        self::assertGreaterThan(5, $lost);
        self::assertSame(21, $lost + count($whole));
        self::assertCount(count($whole) + 2, $records, 'one that was cut, and the line that tells of the loss');
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
