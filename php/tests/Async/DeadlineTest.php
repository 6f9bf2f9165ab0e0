<?php

declare(strict_types=1);

namespace Tusk\Tests\Async;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Tusk\Async\Deadline;

#[CoversClass(Deadline::class)]
final class DeadlineTest extends TestCase
{
    #[TestWith([1e10])]
    #[TestWith([PHP_FLOAT_MAX])]
    #[TestWith([INF])]
    public function testALongerTimeThanAnIntHasIsNotOver(float $seconds): void
    {
        [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) ?: self::fail('no pair of sockets');
        $deadline = new Deadline($seconds, 'a test');
        $deadline->check();
        fwrite($there, 'x');
        $deadline->readable($here);
        self::assertSame('x', fread($here, 1));
    }
}
