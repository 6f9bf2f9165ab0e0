<?php

declare(strict_types=1);

namespace Tusk\Tests\Async;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Async\Mysql;
use Tusk\Async\QueryFailed;
use Tusk\Async\TimedOut;
use Tusk\Parallel;
use Tusk\Pool\MysqliDriver;
use Tusk\Pool\Options;
use Tusk\Pool\Pool;
use Tusk\Tests\Servers\MariaDb;

/** Against a real MariaDB. */
final class MysqlTest extends TestCase
{
    private static ?MariaDb $daemon = null;

    public static function setUpBeforeClass(): void
    {
        $why = extension_loaded('mysqli') ? MariaDb::missing() : 'PHP has no extension mysqli';
        if ($why !== null) {
            self::markTestSkipped($why);
        }
        self::$daemon = MariaDb::start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$daemon?->stop();
        self::$daemon = null;
    }

    private static function daemon(): MariaDb
    {
        return self::$daemon ?? self::fail('not started');
    }

    private static function one(\mysqli $connection, string $sql): ?string
    {
        $result = Mysql::query($connection, $sql, 30.0);
        $value = $result instanceof \mysqli_result ? $result->fetch_column() : null;
        return $value === null || $value === false ? null : (string) $value;
    }

    /** @return Pool<\mysqli> */
    private static function pool(Options $options = new Options()): Pool
    {
        return new Pool(new MysqliDriver(self::daemon()->connect(...)), $options);
    }

    /** @return array<string, array{bool}> */
    public static function ways(): array
    {
        return ['by its descriptor' => [true], 'by looking' => [false]];
    }

    #[DataProvider('ways')]
    public function testQueriesOfTasksWaitSideBySide(bool $known): void
    {
        $connect = static fn (): \mysqli => $known ? Mysql::connect(self::daemon()->connect(...)) : self::daemon()->connect();
        $main = $connect();
        self::assertSame($known, Mysql::descriptor($main) !== null);
        self::assertSame('1', self::one($main, "SELECT GET_LOCK('gate', 0)"));
        $wait = static function () use ($connect): ?string {
            $connection = $connect();
            self::one($connection, "SELECT GET_LOCK('gate', 60)");
            self::one($connection, "SELECT RELEASE_LOCK('gate')");
            return self::one($connection, 'SELECT CONNECTION_ID()');
        };
        $open = static function () use ($main): void {
            while (self::one($main, "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'") !== '4') {
                \Tusk\Timer::sleep(0.005);
            }
            self::one($main, "SELECT RELEASE_LOCK('gate')"); // all four are with the server at this moment
        };
        /** @var list<?string> $ids */
        $ids = Parallel::async([$wait, $wait, $wait, $wait, $open], deadline: 60.0);
        self::assertCount(5, array_unique($ids));
    }

    #[DataProvider('ways')]
    public function testErrorsAndTimeAreTold(bool $known): void
    {
        $connection = $known ? Mysql::connect(self::daemon()->connect(...)) : self::daemon()->connect();
        try {
            Mysql::query($connection, 'SELECT no_such_column');
            self::fail('nothing was thrown');
        } catch (QueryFailed $e) {
            self::assertSame(['42S22', 1054], [$e->sqlState, $e->getCode()]);
        }
        self::assertTrue(Mysql::query($connection, 'DO 1'));
        $this->expectException(TimedOut::class);
        Mysql::query($connection, 'SELECT SLEEP(5)', 0.01);
    }

    public function testAnXaTransactionIsNotLentAgainWhereErrorsAreNotThrown(): void
    {
        $pool = self::pool();
        mysqli_report(MYSQLI_REPORT_OFF);
        try {
            self::assertTrue(Mysql::query($pool->connection(), "XA START 'mine'"));
            $pool->release();
            self::assertSame('0', self::one($pool->connection(), 'SELECT @@in_transaction'));
            self::assertSame(1, $pool->stats()['discarded']);
            $pool->release();
        } finally {
            mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        }
    }

    /** @return iterable<string, array{\Closure(\mysqli): mixed}> */
    public static function changes(): iterable
    {
        yield 'autocommit' => [static fn (\mysqli $c): mixed => $c->query('SET autocommit = 0')];
        yield 'the database' => [static fn (\mysqli $c): mixed => $c->query('USE information_schema')];
        yield 'the user' => [static fn (\mysqli $c): mixed => $c->change_user('guest', 'x', null)];
    }

    /** @param \Closure(\mysqli): mixed $change */
    #[DataProvider('changes')]
    public function testOneThatIsNotAsItWasMadeIsNotLentAgain(\Closure $change): void
    {
        self::daemon()->connect()->query("CREATE USER IF NOT EXISTS guest@localhost IDENTIFIED BY 'x'");
        $pool = self::pool();
        self::assertTrue($change($pool->connection()));
        $pool->release();
        self::assertSame('1', self::one($pool->connection(), 'SELECT @@autocommit'));
        self::assertSame([1, 2], [$pool->stats()['discarded'], $pool->stats()['connected']]);
        $pool->release();
        self::assertSame(1, $pool->stats()['discarded']);
    }

    public function testAServerThatStandsStillHoldsUpTheProcessNoLongerThanTheTimeoutWhenAConnectionComesBack(): void
    {
        $pool = new Pool(new MysqliDriver(self::daemon()->connect(...), timeout: 0.1));
        self::one($pool->connection(), 'SELECT 1');
        self::daemon()->signal(SIGSTOP);
        $waker = proc_open(['sh', '-c', 'sleep 10; kill -CONT ' . self::daemon()->pid()], [], $pipes) ?: self::fail('no shell');
        try {
            $pool->release();
            self::assertTrue(proc_get_status($waker)['running'], 'it came back before the server went on');
            self::assertSame([1, 0], [$pool->stats()['discarded'], $pool->stats()['open']]);
        } finally {
            self::daemon()->signal(SIGCONT);
            proc_terminate($waker);
        }
        self::assertSame('1', self::one($pool->connection(), 'SELECT 1'));
        $pool->release();
    }

    public function testANewConnectionThatDoesNotAnswerIsNotLent(): void
    {
        $then = SIGSTOP;
        $pool = new Pool(new MysqliDriver(static function () use (&$then): \mysqli {
            $connection = self::daemon()->connect();
            self::daemon()->signal($then);
            return $connection;
        }, timeout: 0.1));
        try {
            $pool->connection();
            self::fail('it was lent');
        } catch (TimedOut $e) {
            self::assertSame('The state of a new connection: nothing within 0.1 s', $e->getMessage());
        } finally {
            self::daemon()->signal(SIGCONT);
        }
        self::assertSame([0, 1], [$pool->stats()['open'], $pool->stats()['failed']]);
        $then = SIGCONT;
        self::assertSame('1', self::one($pool->connection(), 'SELECT 1'));
        $pool->release();
    }

    public function testANewConnectionThatRefusesToTellIsNotLent(): void
    {
        $pool = new Pool(new MysqliDriver(static function (): \mysqli {
            $connection = self::daemon()->connect();
            self::daemon()->connect()->query("KILL $connection->thread_id");
            return $connection;
        }));
        mysqli_report(MYSQLI_REPORT_OFF);
        try {
            $pool->connection();
            self::fail('it was lent');
        } catch (QueryFailed $e) {
            self::assertContains($e->getCode(), [2006, 2013, 1927]);
        } finally {
            mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        }
        self::assertSame([0, 1], [$pool->stats()['open'], $pool->stats()['failed']]);
    }

    public function testWhoHasNumbersAsNumbersIsLentTheSameConnectionAgain(): void
    {
        $pool = new Pool(new MysqliDriver(static function (): \mysqli {
            $connection = self::daemon()->connect();
            $connection->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, 1);
            return $connection;
        }));
        $pool->use(static fn (\mysqli $c): ?string => self::one($c, 'SELECT 1'));
        $pool->use(static fn (\mysqli $c): ?string => self::one($c, 'SELECT 2'));
        self::assertSame([1, 0], [$pool->stats()['connected'], $pool->stats()['discarded']]);
    }

    public function testThePoolDiscardsTransactionsAndPendingAnswersAndReplacesTheDead(): void
    {
        $pool = self::pool();
        $id = static fn (): ?string => self::one($pool->connection(), 'SELECT CONNECTION_ID()');
        $first = $id();
        Mysql::query($pool->connection(), 'CREATE TABLE test_pool (x INT) ENGINE=InnoDB');
        $pool->release();
        self::assertSame($first, $id());
        Mysql::query($pool->connection(), 'BEGIN');
        Mysql::query($pool->connection(), 'INSERT INTO test_pool VALUES (1)');
        $pool->release();
        self::assertNotSame($first, $second = $id());
        self::assertSame(['0', 1], [self::one($pool->connection(), 'SELECT COUNT(*) FROM test_pool'), $pool->stats()['discarded']]);
        $pool->release();
        self::daemon()->connect()->query("KILL $second");
        self::assertNotSame($second, $id());
        self::assertSame(1, $pool->stats()['stale']);
        $pool->release();
        $engine = new Parallel\Async();
        [$task] = $engine->submit([static fn () => self::one($pool->connection(), 'SELECT SLEEP(2)')]);
        $engine->wait([$task], 0.02);
        $task->cancel();
        self::assertInstanceOf(Parallel\Cancelled::class, $task->error());
        self::assertSame([2, 0], [$pool->stats()['discarded'], $pool->stats()['open']]);
        self::assertSame('7', self::one($pool->connection(), 'SELECT 7'));
        $pool->release();
    }

    public function testOneThatWasIdleForLongIsAskedAndTheDeadAndTheClosedAreReplaced(): void
    {
        $pool = self::pool(new Options(pingAfter: 0.0));
        $id = static fn (\mysqli $c): ?string => self::one($c, 'SELECT CONNECTION_ID()');
        self::assertSame($first = $pool->use($id), $pool->use($id));
        self::daemon()->connect()->query("KILL $first");
        self::assertNotSame($first, $second = $pool->use($id));
        $pool->use(static fn (\mysqli $c): bool => $c->close());
        self::assertSame([1, 1, 0], [$pool->stats()['stale'], $pool->stats()['discarded'], $pool->stats()['open']]);
        self::assertNotSame($second, $pool->use($id));
    }

    public function testWhatIsRefusedBeforeItIsSentIsSaidWhereErrorsAreNotThrown(): void
    {
        $connection = self::daemon()->connect();
        mysqli_report(MYSQLI_REPORT_OFF);
        try {
            $connection->query('SELECT SLEEP(1)', MYSQLI_ASYNC);
            $this->expectExceptionObject(QueryFailed::because("Commands out of sync; you can't run this command now", 'HY000', 2014));
            Mysql::query($connection, 'SELECT 1');
        } finally {
            mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        }
    }

    public function testADescriptorThatSelectDoesNotTakeIsAskedWhereItIsKnownAndRefusedAtOnceWhereItIsNot(): void
    {
        $most = posix_getrlimit()['soft openfiles'] ?? 0;
        if (\is_int($most) && $most < 1200) {
            self::markTestSkipped("a process may have $most descriptors");
        }
        $files = array_map(static fn () => fopen('/dev/null', 'r'), range(1, 1024));
        $pool = self::pool();
        self::assertSame('7', $pool->use(static fn (\mysqli $c): ?string => self::one($c, 'SELECT 7')));
        self::assertSame([1, 0], [$pool->stats()['idle'], $pool->stats()['discarded']]);
        $unknown = self::daemon()->connect();
        $beside = [];
        $two = new Pool(new MysqliDriver(static function () use (&$beside): \mysqli {
            $beside[] = self::daemon()->connect();
            return self::daemon()->connect();
        }));
        foreach ([static fn () => Mysql::query($unknown, 'SELECT 7'), $two->connection(...)] as $do) {
            try {
                $do();
                self::fail('nothing was thrown');
            } catch (\LogicException $e) {
                self::assertStringStartsWith('mysqli_poll() takes no descriptor from 1024 on', $e->getMessage());
            }
        }
        self::assertCount(1024, $files);
        self::assertSame(0, $two->stats()['open']);
    }
}
