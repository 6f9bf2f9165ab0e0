<?php

declare(strict_types=1);

namespace Tusk\Tests\Async;

use PHPUnit\Framework\TestCase;
use Tusk\Async\Notification;
use Tusk\Async\Postgres;
use Tusk\Async\QueryFailed;
use Tusk\Async\TimedOut;
use Tusk\Exception;
use Tusk\Http\Response;
use Tusk\Parallel;
use Tusk\Pool\BorrowTimeout;
use Tusk\Pool\Options;
use Tusk\Pool\Pool;
use Tusk\Pool\PostgresDriver;
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\Tests\Servers\Postgres as Daemon;
use Tusk\Timer;
use Tusk\WebSocket\Connection;

/** Against a real PostgreSQL: queries that wait side by side, and the pool that lends their connections. */
final class PostgresTest extends TestCase
{
    private static ?Daemon $daemon = null;

    public static function setUpBeforeClass(): void
    {
        $why = extension_loaded('pgsql') ? Daemon::missing() : 'PHP has no extension pgsql';
        if ($why !== null) {
            self::markTestSkipped($why);
        }
        self::$daemon = Daemon::start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$daemon?->stop();
        self::$daemon = null;
    }

    private static function daemon(): Daemon
    {
        return self::$daemon ?? self::fail('not started');
    }

    private static function connect(): \PgSql\Connection
    {
        return Postgres::connect(self::daemon()->dsn(), 30.0);
    }

    /** @param array<array-key, string|int|float|bool|null> $parameters */
    private static function one(\PgSql\Connection $connection, string $sql, array $parameters = []): ?string
    {
        $value = pg_fetch_result(Postgres::query($connection, $sql, $parameters, 30.0), 0, 0);
        return \is_string($value) ? $value : null;
    }

    /** @return Pool<\PgSql\Connection> */
    private static function pool(Options $options = new Options()): Pool
    {
        return new Pool(new PostgresDriver(self::daemon()->dsn(), 30.0), $options);
    }

    /** Until $count sessions wait for an advisory lock. */
    private static function untilWaiting(\PgSql\Connection $connection, int $count): void
    {
        while ((int) self::one($connection, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") < $count) {
            Timer::sleep(0.005);
        }
    }

    public function testParametersAndErrorsAreThoseOfTheServer(): void
    {
        $connection = self::connect();
        self::assertSame('42', self::one($connection, 'SELECT $1::int + $2::int', [41, '1']));
        self::assertSame(['t', 'f', null], array_map(static fn (?bool $b): ?string => self::one($connection, 'SELECT $1::bool', [$b]), [true, false, null]));
        self::assertSame('3000000', self::one($connection, 'SELECT length($1)', [str_repeat('x', 3_000_000)])); // more than a socket takes at once
        self::assertSame(3_000_000, \strlen((string) self::one($connection, "SELECT repeat('y', 3000000)")));
        try {
            Postgres::query($connection, 'SELECT no_such_column');
            self::fail('nothing was thrown');
        } catch (QueryFailed $e) {
            self::assertSame('42703', $e->sqlState);
            self::assertStringContainsString('no_such_column', $e->getMessage());
        }
        self::assertSame('1', self::one($connection, 'SELECT 1'));
    }

    public function testWhatLibpqWouldCutOrMisreadIsRefusedAndTheConnectionStaysWell(): void
    {
        $connection = self::connect();
        $wrong = [
            'Parameter $2 must be a scalar, null or Stringable, array given' => ['SELECT $1::text || $2', ['x', ['y']]],
            'Parameter $1 must be a scalar, null or Stringable, stdClass given' => ['SELECT $1::text', [new \stdClass()]],
            'Parameter $1 has a NUL byte: pg_escape_bytea() writes bytes' => ['SELECT $1::text', ["a\0b"]],
            'The query has a NUL byte, where libpq would cut it' => ["SELECT 1\0 + 1", []],
        ];
        foreach ($wrong as $says => [$sql, $parameters]) {
            try {
                Postgres::query($connection, $sql, $parameters); // @phpstan-ignore argument.type
                self::fail('nothing was thrown');
            } catch (\TypeError | \ValueError $e) {
                self::assertSame($says, $e->getMessage());
            }
        }
        self::assertSame('1', self::one($connection, 'SELECT 1'));
    }

    public function testAFloatKeepsAllItsDigits(): void
    {
        $connection = self::connect();
        foreach ([0.1 + 0.2, 1732872000.123456, -1.5e300, 5e-324, INF, 3.0] as $float) {
            self::assertSame('t', self::one($connection, 'SELECT $1::float8 = ' . pg_escape_literal($connection, is_finite($float) ? var_export($float, true) : 'inf') . '::float8', [$float]), (string) $float);
        }
        self::assertSame('t', self::one($connection, 'SELECT $1::float8 = 0.1::float8 + 0.2::float8', [0.1 + 0.2]));
        $precision = (string) ini_set('serialize_precision', '5');
        try {
            self::assertSame('t', self::one($connection, 'SELECT $1::float8 = 0.2::float8 + 0.1::float8', [0.1 + 0.2]));
        } finally {
            ini_set('serialize_precision', $precision);
        }
        self::assertSame(['3', '10000000000000000'], [self::one($connection, 'SELECT $1::int', [3.0]), self::one($connection, 'SELECT $1::numeric::text', [1e16])]);
        self::assertSame('NaN', self::one($connection, 'SELECT $1::float8', [NAN]));
    }

    public function testAConnectionInMidQueryIsRefusedToASecondTaskAndTheFirstHasItsAnswer(): void
    {
        $connection = self::connect();
        $first = static fn (): ?string => self::one($connection, "SELECT 'first' FROM pg_sleep(0.02)");
        $outcomes = Parallel::settle([$first, static fn (): ?string => self::one($connection, "SELECT 'second'")], deadline: 30.0, engine: new Parallel\Async());
        self::assertSame('first', $outcomes[0]->value());
        self::assertInstanceOf(\LogicException::class, $outcomes[1]->error);
        self::assertSame('This connection is in the middle of another query', $outcomes[1]->error->getMessage());
        self::assertSame('third', self::one($connection, "SELECT 'third'"));
    }

    /** PHP's functions keep the connection that was made last: made anew, it would wait for the answer that nobody wants. */
    public function testAConnectionForgottenInMidQueryHoldsUpNobodyWhoConnects(): void
    {
        $holder = self::connect();
        self::one($holder, 'SELECT pg_advisory_lock(11)');
        $forgotten = self::connect();
        self::one($forgotten, "SELECT set_config('statement_timeout', '20s', false)"); // without the mend it ends then
        try {
            Postgres::query($forgotten, 'SELECT pg_advisory_lock(11)', [], 0.05);
            self::fail('the lock was free');
        } catch (TimedOut $e) {
            unset($e, $forgotten);
        }
        self::untilWaiting($holder, 1);
        $answers = Parallel::async([
            static fn (): ?string => self::one(self::connect(), 'SELECT 2 FROM pg_sleep(0.1)'), // it is in mid-query, and nobody gave it up
            static fn (): ?string => self::one(self::connect(), 'SELECT 1'),
        ]);
        self::assertSame(['2', '1'], $answers);
        self::assertSame('1', self::one($holder, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"));
        self::one($holder, 'SELECT pg_advisory_unlock(11)');
    }

    /** Who goes on with a connection after he gave its answer up can: nobody connected meanwhile. */
    public function testAQueryThatWasGivenUpCanBeCancelledAndItsConnectionUsedAgain(): void
    {
        $connection = self::connect();
        try {
            Postgres::query($connection, 'SELECT pg_sleep(60)', [], 0.05);
            self::fail('it ended');
        } catch (TimedOut) {
            self::assertTrue(pg_cancel_query($connection));
        }
        self::connect();
        self::assertSame('1', self::one($connection, 'SELECT 1'));
    }

    public function testANewQueryAfterOneThatWasGivenUpAndCancelledIsNotEndedByWhoConnects(): void
    {
        $connection = self::connect();
        try {
            Postgres::query($connection, 'SELECT pg_sleep(60)', [], 0.05);
            self::fail('it ended');
        } catch (TimedOut) {
            self::assertTrue(pg_cancel_query($connection));
        }
        $answers = Parallel::async([
            static fn (): ?string => self::one($connection, 'SELECT 2 FROM pg_sleep(0.1)'),
            static fn (): ?string => self::one(self::connect(), 'SELECT 1'),
        ]);
        self::assertSame(['2', '1'], $answers);
    }

    public function testCopyIsAnErrorAndNeitherTheQueryNorAPoolHangsOnIt(): void
    {
        $pool = self::pool();
        foreach (['COPY (SELECT 1) TO STDOUT', 'COPY pg_temp.t FROM STDIN'] as $sql) {
            $pool->use(static function (\PgSql\Connection $c) use ($sql): void {
                self::one($c, 'SELECT 1');
                Postgres::query($c, 'CREATE TEMPORARY TABLE t (i int)');
                try {
                    Postgres::query($c, $sql, [], 30.0);
                    self::fail('nothing was thrown');
                } catch (QueryFailed $e) {
                    self::assertStringContainsString('pg_copy_to()', $e->getMessage());
                }
            });
        }
        $pool->use(static fn (\PgSql\Connection $c) => pg_query($c, 'COPY (SELECT 1) TO STDOUT')); // and somebody forgets it
        self::assertSame([0, 3], [$pool->stats()['open'], $pool->stats()['discarded']]);
    }

    public function testAResetLeavesNothingOfTheFormerBorrower(): void
    {
        $pool = new Pool(new PostgresDriver(self::daemon()->dsn(), 30.0, 'DISCARD ALL'), new Options(max: 1));
        $borrow = static function () use ($pool): string {
            $c = $pool->connection();
            $told = pg_get_notify($c) !== false ? 'told ' : '';
            $left = self::one($c, "SELECT current_setting('work_mem') = '7MB' OR to_regclass('pg_temp.t') IS NOT NULL
                OR EXISTS (SELECT FROM pg_prepared_statements) OR EXISTS (SELECT pg_listening_channels()) OR EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())");
            foreach (["SET work_mem = '7MB'", 'CREATE TEMPORARY TABLE t (i int)', 'PREPARE p AS SELECT 1', 'LISTEN c', 'SELECT pg_advisory_lock(99)', "SELECT pg_notify('c', '')"] as $sql) {
                Postgres::query($c, $sql);
            }
            return "$told$left " . self::one($c, 'SELECT pg_backend_pid()');
        };
        [$first] = Parallel::async([$borrow]);
        [$second] = Parallel::async([$borrow]);
        self::assertIsString($first);
        self::assertStringStartsWith('f ', $first);
        self::assertSame($first, $second);
    }

    public function testAResetThatFailsOrIsTooSlowCostsItsConnectionAndNothingElse(): void
    {
        foreach (['NO SUCH THING' => 30.0, 'SELECT pg_sleep(600)' => 0.5] as $reset => $timeout) {
            $pool = new Pool(new PostgresDriver(self::daemon()->dsn(), $timeout, $reset), new Options(max: 1));
            $first = $pool->use(pg_get_pid(...));
            self::assertNotSame($first, $pool->use(pg_get_pid(...)), $reset);
            self::assertSame([2, 1, 0], [$pool->stats()['connected'], $pool->stats()['stale'], $pool->stats()['discarded']], $reset);
        }
    }

    public function testOneThatWasIdleForLongIsAskedAndTheDeadAndTheClosedAreReplaced(): void
    {
        foreach ([null, 'DISCARD ALL'] as $reset) {
            $pool = new Pool(new PostgresDriver(self::daemon()->dsn(), 30.0, $reset), new Options(pingAfter: 0.0));
            self::assertSame($first = $pool->use(pg_get_pid(...)), $pool->use(pg_get_pid(...)));
            self::one(self::connect(), 'SELECT pg_terminate_backend($1::int, 10000)', [$first]);
            self::assertNotSame($first, $second = $pool->use(pg_get_pid(...)));
            $pool->use(pg_close(...));
            self::assertSame([1, 1, 0], [$pool->stats()['stale'], $pool->stats()['discarded'], $pool->stats()['open']]);
            self::assertNotSame($second, $pool->use(pg_get_pid(...)));
        }
    }

    public function testAServerThatDoesNotAnswerInTimeSeesTheConnectionEnd(): void
    {
        $silent = stream_socket_server('tcp://127.0.0.1:0') ?: self::fail('no listener');
        [$host, $port] = explode(':', (string) stream_socket_get_name($silent, false));
        try {
            Postgres::connect("host=$host port=$port sslmode=disable gssencmode=disable user=tusk", 0.01);
            self::fail('nothing was thrown');
        } catch (TimedOut $e) {
            self::assertSame('PostgreSQL, connecting: nothing within 0.01 s', $e->getMessage());
        }
        $peer = stream_socket_accept($silent, 30.0) ?: self::fail('nobody came');
        stream_set_timeout($peer, 5);
        stream_get_contents($peer);
        self::assertFalse(stream_get_meta_data($peer)['timed_out'], 'its end has come');
    }

    public function testWhoCannotBeReachedIsSaid(): void
    {
        $this->expectException(QueryFailed::class);
        $this->expectExceptionMessage('/nowhere');
        Postgres::connect('host=/nowhere');
    }

    public function testQueriesOfTasksWaitSideBySide(): void
    {
        $main = self::connect();
        self::one($main, 'SELECT pg_advisory_lock(1)');
        $wait = static fn (): ?string => self::one(self::connect(), 'SELECT pg_advisory_lock_shared(1)::text || pg_backend_pid()');
        $release = static function () use ($main): void {
            self::untilWaiting($main, 5); // all five are with the server at this moment
            self::one($main, 'SELECT pg_advisory_unlock(1)');
        };
        /** @var list<?string> $pids */
        $pids = Parallel::async([$wait, $wait, $wait, $wait, $wait, $release], deadline: 60.0);
        self::assertCount(6, array_unique($pids));
    }

    public function testAHandlerThatAsksHoldsUpNobody(): void
    {
        $pool = self::pool();
        $main = self::connect();
        self::one($main, 'SELECT pg_advisory_lock(2)');
        $server = new Server();
        $server->get('/{name}', static function () use ($pool, $main): Response {
            $asks = static fn (): ?string => $pool->use(static fn (\PgSql\Connection $c): ?string => self::one($c, "SELECT 'got' || pg_advisory_lock(2)::text"));
            $frees = static function () use ($main): void {
                self::untilWaiting($main, 1);
                self::one($main, 'SELECT pg_advisory_unlock(2)');
            };
            return Response::json(Parallel::async(['asks' => $asks, 'frees' => $frees]));
        });
        self::assertSame('{"asks":"got","frees":null}', (new Loopback($server))->request('GET', '/x')->body);
    }

    public function testAHandlerWhoseClientHasGoneFinishesAndOneWhoseServerStopsIsToldAndBothGiveBackWhatTheyBorrowed(): void
    {
        $pool = self::pool(new Options(max: 2));
        $ended = [];
        $server = new Server();
        $server->onError(static fn () => null);
        $server->websocket('/ws', message: static function (Connection $client, string $seconds) use ($pool, &$ended): void {
            try {
                self::one($pool->connection(), 'SELECT pg_sleep($1)', [(float) $seconds]);
                $ended[] = 'answered';
            } catch (Exception $e) {
                $ended[] = $e->getMessage();
                throw $e;
            }
        });
        $loopback = new Loopback($server);
        $client = $loopback->connect('/ws');
        $client->send('0.1');
        $client->close();
        $loopback->settle(10.0);
        self::assertSame([['answered'], 1, 0, 0], [$ended, $pool->stats()['idle'], $pool->stats()['lent'], $pool->stats()['discarded']]);

        $client = $loopback->connect('/ws');
        $client->send('1000');
        $loopback->settle(0.05);
        self::assertSame(1, $pool->stats()['lent']);
        unset($client, $loopback, $server);
        self::assertSame(['answered', 'The server stops: this handler waited too long'], $ended);
        self::assertSame([0, 0, 1], [$pool->stats()['open'], $pool->stats()['lent'], $pool->stats()['discarded']]);
    }

    public function testATaskHasOneConnectionAndGivesItBackAtItsEnd(): void
    {
        $pool = self::pool(new Options(max: 2));
        $pids = Parallel::async(array_fill(0, 6, static fn (): bool => self::one($pool->connection(), 'SELECT pg_backend_pid()') === self::one($pool->connection(), 'SELECT pg_backend_pid()')));
        self::assertSame(array_fill(0, 6, true), $pids);
        self::assertSame(['open' => 2, 'idle' => 2, 'lent' => 0, 'borrowed' => 6, 'waited' => 4, 'timed_out' => 0, 'connected' => 2, 'discarded' => 0, 'stale' => 0, 'expired' => 0, 'failed' => 0], $pool->stats());
        $failed = Parallel::settle([static fn () => [$pool->connection(), throw new \DomainException('mine')]], engine: new Parallel\Async());
        self::assertSame(['mine', 2], [$failed[0]->error?->getMessage(), $pool->stats()['idle']]);
    }

    public function testAnOpenTransactionIsRolledBackAndTheConnectionDiscarded(): void
    {
        $pool = self::pool();
        self::one($pool->connection(), 'SELECT 1');
        Postgres::query($pool->connection(), 'CREATE TABLE IF NOT EXISTS kept (x int)');
        $pool->release();
        Parallel::async([static function () use ($pool): void {
            Postgres::query($pool->connection(), 'BEGIN');
            Postgres::query($pool->connection(), 'INSERT INTO kept VALUES (1)');
        }]);
        self::assertSame([0, 1], [$pool->stats()['idle'], $pool->stats()['discarded']]);
        self::assertSame('0', $pool->use(static fn (\PgSql\Connection $c): ?string => self::one($c, 'SELECT count(*) FROM kept')));
    }

    public function testATaskCancelledInMidQueryLosesItsConnection(): void
    {
        $pool = self::pool();
        $engine = new Parallel\Async();
        [$task] = $engine->submit([static fn () => self::one($pool->connection(), 'SELECT pg_sleep(100.5)')]);
        $main = self::connect();
        Parallel::all([static function () use ($main): void { // one of a test before may still sleep
            while (self::one($main, "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(100.5)' AND state = 'active'") !== '1') {
                Timer::sleep(0.005);
            }
        }], engine: $engine);
        $task->cancel();
        self::assertInstanceOf(Parallel\Cancelled::class, $task->error());
        self::assertSame([0, 1], [$pool->stats()['open'], $pool->stats()['discarded']]);
        self::assertSame('5', $pool->use(static fn (\PgSql\Connection $c): ?string => self::one($c, 'SELECT 5')));
        try {
            $pool->use(static fn (\PgSql\Connection $c) => Postgres::query($c, 'SELECT pg_sleep(100)', [], 0.05));
            self::fail('nothing was thrown');
        } catch (TimedOut) {
            self::assertSame(2, $pool->stats()['discarded']);
        }
    }

    public function testWhoFindsNoneInTimeIsTold(): void
    {
        $pool = self::pool(new Options(max: 1, borrowTimeout: 0.01));
        $pool->connection();
        try {
            $pool->use(static fn (): bool => true);
            self::fail('nothing was thrown');
        } catch (BorrowTimeout $e) {
            self::assertSame('No connection within 0.01 s: all 1 are lent or being opened. More of them (max:), more time (borrowTimeout:), or shorter leases', $e->getMessage());
        }
        $pool->release();
        self::assertSame('1', $pool->use(static fn (\PgSql\Connection $c): ?string => self::one($c, 'SELECT 1')));
    }

    public function testConnectionsThatEndedWhileTheyWereIdleAreReplaced(): void
    {
        $pool = self::pool();
        $pid = self::one($pool->connection(), 'SELECT pg_backend_pid()');
        $pool->release();
        self::one(self::connect(), 'SELECT pg_terminate_backend($1::int, 10000)', [$pid]);
        self::assertNotSame($pid, self::one($pool->connection(), 'SELECT pg_backend_pid()'));
        self::assertSame([2, 1], [$pool->stats()['connected'], $pool->stats()['stale']]);
        $pool->release();
        self::daemon()->end(SIGQUIT);
        self::daemon()->run();
        self::assertSame('1', self::one($pool->connection(), 'SELECT 1'));
        $pool->release();
    }

    /** @return array{Daemon, int} and its port, which somebody else may take before it does: then another one */
    private static function overTls(string $pair): array
    {
        for ($left = 4;; $left--) {
            $listener = stream_socket_server('tcp://127.0.0.1:0') ?: self::fail('no port');
            $port = (int) substr((string) strrchr((string) stream_socket_get_name($listener, false), ':'), 1);
            fclose($listener);
            try {
                return [Daemon::start($port, $pair), $port];
            } catch (\RuntimeException $e) {
                if ($left === 0) {
                    throw $e;
                }
            }
        }
    }

    public function testOverTlsToo(): void
    {
        if (!\extension_loaded('openssl')) {
            self::markTestSkipped('PHP has no extension openssl');
        }
        $key = openssl_pkey_new(['private_key_bits' => 2048]) ?: self::fail('no key');
        $request = openssl_csr_new(['commonName' => 'localhost'], $key);
        self::assertInstanceOf(\OpenSSLCertificateSigningRequest::class, $request);
        self::assertInstanceOf(\OpenSSLAsymmetricKey::class, $key);
        $pair = sys_get_temp_dir() . '/tusk-pair-' . bin2hex(random_bytes(6));
        self::assertTrue(openssl_x509_export_to_file(openssl_csr_sign($request, null, $key, 1) ?: self::fail('no certificate'), "$pair.pem"));
        self::assertTrue(openssl_pkey_export_to_file($key, "$pair.key"));
        [$daemon, $port] = self::overTls($pair);
        try {
            $pool = new Pool(new PostgresDriver("host=127.0.0.1 port=$port dbname=postgres user=tusk sslmode=require", 30.0));
            $pid = static fn (\PgSql\Connection $c): ?string => self::one($c, 'SELECT pg_backend_pid()');
            self::assertSame('t', $pool->use(static fn (\PgSql\Connection $c): ?string => self::one($c, 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')));
            self::assertSame('300000', (string) \strlen((string) $pool->use(static fn (\PgSql\Connection $c): ?string => self::one($c, "SELECT repeat('x', 300000)"))));
            $first = $pool->use($pid);
            $other = Postgres::connect($daemon->dsn(), 30.0);
            self::one($other, 'SELECT pg_terminate_backend($1)', [$first]);
            while (self::one($other, 'SELECT count(*) FROM pg_stat_activity WHERE pid = $1', [$first]) !== '0') {
                Timer::sleep(0.005);
            }
            self::assertNotSame($first, $pool->use($pid)); // libpq has closed its descriptor by now
            self::assertSame(1, $pool->stats()['stale']);
        } finally {
            $daemon->stop();
            unlink("$pair.pem");
            unlink("$pair.key");
        }
    }

    public function testNotificationsAreWaitedForBesideQueriesOfOtherConnections(): void
    {
        $listens = self::connect();
        Postgres::query($listens, 'LISTEN news', timeout: 30.0);
        self::one($listens, "SELECT pg_notify('news', 'with an answer')");
        self::assertSame('with an answer', Postgres::notification($listens, 30.0)?->payload); // nothing more comes over the socket for it
        self::assertNull(Postgres::notification($listens, 0.01));
        $tells = self::connect();
        [$told] = Parallel::async([
            static fn () => Postgres::notification($listens, 30.0),
            static fn () => self::one($tells, "SELECT pg_notify('news', 'two') FROM pg_notify('news', 'three')"),
        ]);
        self::assertEquals(new Notification('news', 'three', pg_get_pid($tells)), $told);
        self::assertSame('two', Postgres::notification($listens, 0.0)?->payload);
    }

    public function testWhoWaitsForANotificationHearsThatTheServerIsGone(): void
    {
        $listens = self::connect();
        $other = self::connect();
        Postgres::query($listens, 'LISTEN news', timeout: 30.0);
        $this->expectException(QueryFailed::class);
        Parallel::async([
            static fn () => Postgres::notification($listens, 30.0),
            static fn () => self::one($other, 'SELECT pg_terminate_backend($1)::text', [pg_get_pid($listens)]),
        ]);
    }

    public function testWhoAsksForANotificationWhenTheServerIsGoneAlreadyHearsTheSame(): void
    {
        $listens = self::connect();
        $other = self::connect();
        Postgres::query($listens, 'LISTEN news', timeout: 30.0);
        $pid = pg_get_pid($listens);
        self::one($other, 'SELECT pg_terminate_backend($1, 30000)::text', [$pid]); // it has ended when this answers
        $this->expectException(QueryFailed::class);
        Postgres::notification($listens, 30.0);
    }

    public function testAServerThatEndsInMidQueryIsAnErrorAndNotAHang(): void
    {
        $pool = self::pool();
        $main = self::connect();
        $ends = static function () use ($pool): ?string {
            $c = $pool->connection();
            $pid = self::one($c, 'SELECT pg_backend_pid()');
            Timer::delay(0.01, static fn () => self::one(self::connect(), 'SELECT pg_terminate_backend($1::int)', [$pid]));
            return self::one($c, 'SELECT pg_sleep(100)');
        };
        $outcome = Parallel::settle([$ends], engine: new Parallel\Async())[0];
        self::assertInstanceOf(QueryFailed::class, $outcome->error);
        self::assertSame('57P01', $outcome->error->sqlState);
        self::assertSame(1, $pool->stats()['discarded']);
    }

    public function testAServerThatReadsNoLargeParameterHoldsUpNobodyPastTheTimeout(): void
    {
        $connection = self::connect();
        pg_query($connection, 'SELECT 1'); // which makes it a blocking one
        $backend = pg_get_pid($connection);
        posix_kill($backend, SIGSTOP);
        $rescue = proc_open(['sh', '-c', "exec >&- 2>&-; sleep 20; kill -CONT $backend"], [], $pipes) ?: self::fail('no process');
        try {
            Postgres::query($connection, 'SELECT length($1)', [str_repeat('x', 1 << 23)], 0.1);
            self::fail('it waited until the server went on');
        } catch (TimedOut) {
            Postgres::abandon($connection); // nor does this wait
            self::assertTrue(proc_get_status($rescue)['running']);
        } finally {
            posix_kill($backend, SIGCONT);
            proc_terminate($rescue, SIGKILL);
            proc_close($rescue);
        }
        self::assertSame('8388608', self::one(self::connect(), 'SELECT length($1)', [str_repeat('x', 1 << 23)]));
    }

    public function testAWorkerNeverUsesItsParentsConnections(): void
    {
        $pool = self::pool();
        $mine = self::one($pool->connection(), 'SELECT pg_backend_pid()');
        $GLOBALS['pool of PostgresTest'] = $pool;
        $workers = new Parallel\Pool(workers: 1);
        try {
            $theirs = $workers->run([self::class, 'inWorker'], self::daemon()->dsn());
        } finally {
            $workers->close();
            unset($GLOBALS['pool of PostgresTest']);
        }
        self::assertIsArray($theirs);
        self::assertNotSame($mine, $theirs[0]);
        self::assertSame([1, 1], [$theirs[1], $theirs[2]]);
        self::assertSame($mine, self::one($pool->connection(), 'SELECT pg_backend_pid()'));
        $pool->release();
    }

    /** @return array{?string, int, int} */
    public static function inWorker(string $dsn): array
    {
        $pool = $GLOBALS['pool of PostgresTest'];
        \assert($pool instanceof Pool);
        $connection = $pool->connection();
        \assert($connection instanceof \PgSql\Connection);
        return [self::one($connection, 'SELECT pg_backend_pid()'), $pool->stats()['open'], $pool->stats()['connected']];
    }
}
