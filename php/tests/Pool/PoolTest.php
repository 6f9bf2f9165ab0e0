<?php

declare(strict_types=1);

namespace Tusk\Tests\Pool;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Parallel;
use Tusk\Pool\BorrowTimeout;
use Tusk\Pool\Driver;
use Tusk\Pool\Options;
use Tusk\Pool\PdoDriver;
use Tusk\Pool\Pool;
use Tusk\Timer;

/** The rules of the pool by a driver that says everything, and PDO with SQLite. */
final class PoolTest extends TestCase
{
    private Told $driver;

    /** @return Pool<Numbered> */
    private function pool(Options $options = new Options(max: 2, pingAfter: 1e6)): Pool
    {
        return new Pool($this->driver = new Told(), $options);
    }

    public function testTheSameScopeHasTheSameConnectionAndTheLastUsedIsLentFirst(): void
    {
        $pool = $this->pool();
        self::assertSame($pool->connection(), $first = $pool->connection());
        $second = $pool->use(static fn (Numbered $c): Numbered => $c);
        self::assertNotSame($first, $second);
        self::assertSame($second, $pool->use(static fn (Numbered $c): Numbered => $c));
        $pool->release();
        $pool->release(); // twice is harmless
        self::assertSame($first, $pool->connection());
        $pool->release();
        self::assertSame(['connect 1', 'connect 2', 'reset 2', 'reset 2', 'reset 1', 'reset 1'], $this->driver->log);
    }

    public function testWaitingBorrowersAreServedInTheirOrder(): void
    {
        $pool = $this->pool(new Options(max: 1));
        $order = [];
        $job = static function (int $n) use ($pool, &$order): void {
            $pool->connection();
            $order[] = $n;
            Timer::sleep(0.001);
        };
        Parallel::async([[$job, 1], [$job, 2], [$job, 3], [$job, 4]]);
        self::assertSame([1, 2, 3, 4], $order);
        self::assertSame(1, $pool->stats()['connected']);
    }

    public function testWhoBorrowsAgainAndAgainStandsBehindWhoWaits(): void
    {
        $pool = $this->pool(new Options(max: 1));
        $order = '';
        Parallel::async([
            static function () use ($pool, &$order): void {
                for ($i = 0; $i < 20; $i++) {
                    $pool->use(static fn () => Timer::sleep(0.001));
                    $order .= 'again ';
                }
            },
            static function () use ($pool, &$order): void {
                $order .= $pool->use(static fn (): string => 'waited ');
            },
        ]);
        self::assertMatchesRegularExpression('/^(again ){0,2}waited /', $order);
    }

    public function testAWaiterThatIsCancelledWithItsTurnPassesItOn(): void
    {
        $pool = $this->pool(new Options(max: 1, borrowTimeout: 30.0));
        $tasks = [];
        $engine = new Parallel\Async();
        $tasks = $engine->submit([
            static function () use ($pool, &$tasks): void {
                $pool->connection();
                Timer::sleep(0.001);
                $pool->release(); // the second has its turn now, and is cancelled before it can take it
                $tasks[1]->cancel();
            },
            static fn (): object => $pool->connection(),
            static fn (): object => $pool->connection(),
        ]);
        self::assertInstanceOf(Numbered::class, $tasks[2]->await());
        self::assertInstanceOf(Parallel\Cancelled::class, $tasks[1]->error());
        self::assertSame([1, 0], [$pool->stats()['open'], $pool->stats()['lent']]);
    }

    public function testAnIdleOneThatIsTooOldWhenItsTurnHasComeMakesRoomForOneBorrowerOnly(): void
    {
        $pool = $this->pool(new Options(max: 1, idleTimeout: 1e-9));
        $open = [];
        $look = static function () use ($pool, &$open): void {
            $open[] = $pool->stats()['open'];
            Timer::sleep(0.001);
        };
        $job = static fn () => $pool->use($look);
        Parallel::async([$job, $job, $job, $job]);
        self::assertSame([1, 1, 1, 1], $open);
        self::assertSame([4, 3], [$pool->stats()['connected'], $pool->stats()['expired']]);
    }

    public function testWarmTakesNoPlaceThatAWaiterWasGiven(): void
    {
        $pool = $this->pool(new Options(max: 1, minIdle: 1));
        $this->driver->connecting = static fn () => Timer::sleep(0.001);
        $open = [];
        $look = static function () use ($pool, &$open): void {
            $open[] = $pool->stats()['open'];
        };
        Parallel::async([
            static function () use ($pool): void {
                $pool->connection();
                Timer::sleep(0.001);
                $pool->release(discard: true); // the second has its turn now
                $pool->warm();
            },
            static fn () => $pool->use($look),
        ]);
        self::assertSame([1], $open);
    }

    public function testAFiberThatEndedHoldsNothingFromThoseWhoWaitThoughItsObjectIsKept(): void
    {
        $pool = $this->pool(new Options(max: 1, borrowTimeout: 0.01));
        $fiber = new \Fiber(static fn (): object => $pool->connection());
        $fiber->start();
        self::assertSame(1, $pool->use(static fn (Numbered $c): int => $c->number));
        self::assertTrue($fiber->isTerminated());
    }

    public function testAForkedChildThatLendsForItselfLeavesItsParentsConnectionAlone(): void
    {
        if (!function_exists('pcntl_fork') || !function_exists('posix_kill')) {
            self::markTestSkipped('PHP has no extension pcntl or posix');
        }
        [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) ?: self::fail('no pair of sockets');
        $pool = $this->pool();
        $pid = $pool->use(static function () use ($pool): int {
            $pid = pcntl_fork();
            if ($pid === 0) {
                $pool->connection(); // one of its own: the pool begins anew
            }
            return $pid;
        });
        if ($pid === 0) {
            fwrite($there, (string) json_encode($this->driver->log));
            posix_kill((int) getmypid(), SIGKILL);
        }
        pcntl_waitpid($pid, $status);
        fclose($there);
        self::assertSame('["connect 1","connect 2"]', stream_get_contents($here));
    }

    public function testAForkedChildThatForgetsAPoolKeepsItsParentsConnections(): void
    {
        if (!function_exists('pcntl_fork') || !function_exists('posix_kill')) {
            self::markTestSkipped('PHP has no extension pcntl or posix');
        }
        [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0) ?: self::fail('no pair of sockets');
        $pool = $this->pool();
        $connections = [\WeakReference::create($pool->connection()), $pool->use(static fn (Numbered $c): \WeakReference => \WeakReference::create($c))];
        $pid = pcntl_fork();
        if ($pid === 0) {
            $pool = null;
            gc_collect_cycles();
            fwrite($there, (string) json_encode([$this->driver->log, array_map(static fn (\WeakReference $c): bool => $c->get() !== null, $connections)]));
            posix_kill((int) getmypid(), SIGKILL);
        }
        pcntl_waitpid($pid, $status);
        fclose($there);
        self::assertSame('[["connect 1","connect 2","reset 2"],[true,true]]', stream_get_contents($here));
    }

    public function testAPoolThatIsForgottenEndsWhatIsIdle(): void
    {
        $pool = $this->pool();
        $pool->use(static fn () => null);
        unset($pool);
        self::assertSame(['connect 1', 'reset 1', 'close 1'], $this->driver->log);
    }

    public function testUncleanOnesAndThoseGivenUpAreNotLentAgain(): void
    {
        $pool = $this->pool();
        $pool->connection()->clean = false;
        $pool->release();
        $pool->connection();
        $pool->release(discard: true);
        $pool->use(static function (Numbered $c): void {
            $c->clean = null; // reset() throws
        });
        self::assertSame(['connect 1', 'reset 1', 'close 1', 'connect 2', 'close 2', 'connect 3', 'reset 3', 'close 3'], $this->driver->log);
        self::assertSame([3, 0], [$pool->stats()['discarded'], $pool->stats()['open']]);
    }

    public function testDeadOnesAreReplacedByAskingOnlyAfterIdleTime(): void
    {
        $pool = $this->pool(new Options(pingAfter: 0.0));
        $pool->connection()->answers = false;
        $pool->release();
        self::assertSame(2, $pool->connection()->number);
        $pool->connection()->answers = null; // ping() throws
        $pool->release();
        self::assertSame(3, $pool->connection()->number);
        self::assertSame(['connect 1', 'reset 1', 'ping 1', 'close 1', 'connect 2', 'reset 2', 'ping 2', 'close 2', 'connect 3'], $this->driver->log);
        self::assertSame(2, $pool->stats()['stale']);
        $pool->release();
        $pool = $this->pool();
        $pool->connection()->stale = true;
        $pool->release();
        self::assertSame([2, ['connect 1', 'reset 1', 'close 1', 'connect 2']], [$pool->connection()->number, $this->driver->log]);
        $pool->release();
    }

    public function testWhoseTimeIsOverAsksNoFurtherOneAndGetsANewOne(): void
    {
        $pool = $this->pool(new Options(max: 3, pingAfter: 0.0));
        $pool->use(static fn (Numbered $a) => $pool->use(static fn (Numbered $b) => $pool->use(static function (Numbered $c) use ($a, $b): void {
            $a->answers = $b->answers = $c->answers = false;
        })));
        $this->driver->log = [];
        self::assertSame(4, $pool->use(static fn (Numbered $c): int => $c->number, 0.0));
        self::assertSame(['ping 1', 'close 1', 'connect 4', 'reset 4'], $this->driver->log);
        self::assertSame(['open' => 3, 'idle' => 3, 'lent' => 0], array_slice($pool->stats(), 0, 3));
        $this->driver->log = [];
        self::assertSame(4, $pool->use(static fn (Numbered $c): int => $c->number, 5.0));
        self::assertSame(['ping 4', 'reset 4'], $this->driver->log);
    }

    public function testAgeAndIdleTimeEndThemButMinIdleStays(): void
    {
        $pool = $this->pool(new Options(max: 3, minIdle: 1, idleTimeout: 1e-9, maxAge: 0.0, pingAfter: 1e6));
        $pool->warm();
        $pool->warm();
        self::assertSame(1, $pool->stats()['idle']);
        $pool->use(static fn (Numbered $a) => $pool->use(static fn (Numbered $b) => null));
        self::assertSame(2, $pool->stats()['idle']);
        $pool->connection(); // looks: one is idle for too long, one stays
        self::assertSame([1, 0], [$pool->stats()['expired'], $pool->stats()['idle']]);
        $pool->release();
        $pool = $this->pool(new Options(maxAge: 1e-9));
        $pool->use(static fn () => null);
        self::assertSame([0, 1], [$pool->stats()['open'], $pool->stats()['expired']]);
    }

    public function testOneThatGrewOldBehindAYoungerOneIsNotLent(): void
    {
        $pool = $this->pool(new Options(maxAge: 0.3, pingAfter: 1e6));
        $old = $pool->connection()->number;
        usleep(200_000);
        $pool->use(static fn () => null); // a younger one, which comes back before
        $pool->release();
        usleep(150_000);
        self::assertNotSame($old, $pool->connection()->number);
        self::assertContains("close $old", $this->driver->log);
        $pool->release();
    }

    public function testAConnectThatFailsLeavesThePlaceFree(): void
    {
        $pool = $this->pool(new Options(max: 1, borrowTimeout: 0.01));
        $this->driver->refuses = true;
        foreach ([1, 2, 3] as $_) {
            try {
                $pool->connection();
                self::fail('nothing was thrown');
            } catch (\RuntimeException $e) {
                self::assertSame('no server', $e->getMessage());
            }
        }
        self::assertSame([3, 0], [$pool->stats()['failed'], $pool->stats()['open']]);
        $this->driver->refuses = false;
        self::assertSame(1, $pool->connection()->number);
        $this->expectException(BorrowTimeout::class);
        $pool->use(static fn () => null, 0.0);
    }

    public function testTasksThatFailOrAreCancelledGiveBack(): void
    {
        $pool = $this->pool(new Options(max: 3));
        $engine = new Parallel\Async();
        $tasks = $engine->submit([
            static fn () => [$pool->connection(), throw new \DomainException('x')],
            static fn () => [$pool->connection(), exit(1)],
            static function () use ($pool): void {
                $pool->connection();
                Timer::sleep(100);
            },
        ]);
        $tasks[0]->error();
        $engine->wait([$tasks[2]], 0.001);
        self::assertSame([0, 1], [$pool->stats()['idle'], $pool->stats()['lent']]); // one connection, three times
        $tasks[2]->cancel();
        self::assertSame([1, 0, 3], [$pool->stats()['idle'], $pool->stats()['lent'], $pool->stats()['borrowed']]);
        // one that waits to borrow is cancelled: nobody is owed anything
        $pool = $this->pool(new Options(max: 1));
        $pool->connection();
        [$waits] = $engine->submit([static fn () => $pool->connection()]);
        $engine->wait([$waits], 0.001);
        $waits->cancel();
        $pool->release();
        self::assertSame(1, $pool->connection()->number);
        $pool->release();
    }

    public function testAFiberOfOnesOwnGivesBackWhenItIsForgotten(): void
    {
        $pool = $this->pool();
        $fiber = new \Fiber(static function () use ($pool): void {
            $pool->connection();
            \Fiber::suspend($pool->connection()->number);
        });
        self::assertSame(1, $fiber->start());
        self::assertSame(1, $pool->stats()['lent']);
        unset($fiber);
        gc_collect_cycles();
        self::assertSame(0, $pool->stats()['lent']);
    }

    public function testClosingEndsIdleOnesNowAndLentOnesAtTheirReturn(): void
    {
        $pool = $this->pool();
        $pool->connection();
        $pool->use(static fn () => null);
        $pool->close();
        self::assertSame(1, $pool->stats()['open']);
        $pool->release();
        self::assertSame(0, $pool->stats()['open']);
        $this->expectException(\LogicException::class);
        $pool->connection();
    }

    public function testOneThatWarmOpensWhileThePoolIsClosedIsEnded(): void
    {
        $pool = $this->pool(new Options(max: 2, minIdle: 2));
        $this->driver->connecting = $pool->close(...);
        $pool->warm();
        self::assertSame(['open' => 0, 'idle' => 0, 'lent' => 0], array_slice($pool->stats(), 0, 3));
        self::assertSame(['connect 1', 'close 1'], $this->driver->log);
    }

    /** @return iterable<string, array{\Closure(): mixed, string}> */
    public static function wrong(): iterable
    {
        yield 'max' => [static fn () => new Options(max: -1), 'max must be at least 1'];
        yield 'minIdle' => [static fn () => new Options(max: 2, minIdle: 3), 'minIdle must be between 0 and max (2)'];
        yield 'time' => [static fn () => new Options(maxAge: -1.0), 'maxAge must be between 0 and 1e9'];
        yield 'not a number' => [static fn () => new Options(pingAfter: NAN), 'pingAfter must be between'];
        yield 'timeout' => [static fn () => (new Pool(new Told()))->use(static fn () => null, -1.0), 'timeout must be at least 0'];
    }

    /** @param \Closure(): mixed $do */
    #[DataProvider('wrong')]
    public function testWrongOptionsAreSaid(\Closure $do, string $says): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage($says);
        $do();
    }

    public function testPdoRollsBackAndIsLentAgainWhenItIsClean(): void
    {
        $file = tempnam(sys_get_temp_dir(), 'tusk');
        try {
            $pool = new Pool(new PdoDriver(static fn (): \PDO => new \PDO("sqlite:$file")), new Options(pingAfter: 0.0));
            $first = $pool->connection();
            $first->exec('CREATE TABLE t (x int)');
            $pool->release();
            self::assertSame($first, $pool->connection());
            $first->beginTransaction();
            $first->exec('INSERT INTO t VALUES (1)');
            $pool->release();
            self::assertFalse($first->inTransaction());
            $second = $pool->connection();
            self::assertNotSame($first, $second);
            self::assertEquals(0, ($second->query('SELECT count(*) FROM t') ?: self::fail())->fetchColumn());
            $pool->release();
            self::assertSame(1, $pool->stats()['discarded']);
        } finally {
            unlink((string) $file);
        }
    }
}

/** A connection that answers as it is told. */
final class Numbered
{
    public ?bool $clean = true;
    public ?bool $answers = true;
    public bool $stale = false;

    public function __construct(public readonly int $number) {}
}

/** @implements Driver<Numbered> */
final class Told implements Driver
{
    /** @var list<string> */
    public array $log = [];
    public bool $refuses = false;
    /** What others do meanwhile. */
    public ?\Closure $connecting = null;
    private int $made = 0;

    public function connect(): Numbered
    {
        if ($this->refuses) {
            throw new \RuntimeException('no server');
        }
        $this->log[] = 'connect ' . ++$this->made;
        ($this->connecting ?? static fn () => null)();
        return new Numbered($this->made);
    }

    public function isStale(object $connection): bool
    {
        return $connection->stale;
    }

    public function ping(object $connection): bool
    {
        $this->log[] = "ping $connection->number";
        return $connection->answers ?? throw new \RuntimeException('gone');
    }

    public function reset(object $connection): bool
    {
        $this->log[] = "reset $connection->number";
        return $connection->clean ?? throw new \RuntimeException('no idea');
    }

    public function close(object $connection): void
    {
        $this->log[] = "close $connection->number";
    }
}
