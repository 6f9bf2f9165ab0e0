<?php

declare(strict_types=1);

namespace Tusk\Tests\Pool;

use PHPUnit\Framework\Attributes\CoversClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Tusk\Async\Mysql;
use Tusk\Async\Postgres;
use Tusk\Async\Sockets;
use Tusk\Pool\Driver;
use Tusk\Pool\MysqliDriver;
use Tusk\Pool\PdoDriver;
use Tusk\Pool\Pool;
use Tusk\Pool\PostgresDriver;
use Tusk\Pool\RedisDriver;
use Tusk\Tests\Servers\Daemon;
use Tusk\Tests\Servers\MariaDb;
use Tusk\Tests\Servers\Postgres as PostgresServer;
use Tusk\Tests\Servers\Redis;

/** A real server that restarts while connections to it are idle or lent: within pingAfter, so that nobody asks them. */
#[CoversClass(RedisDriver::class)]
#[CoversClass(PdoDriver::class)]
#[CoversClass(MysqliDriver::class)]
#[CoversClass(PostgresDriver::class)]
#[CoversClass(Sockets::class)]
final class RestartTest extends TestCase
{
    /**
     * @template S of Daemon
     * @template C of object
     * @param class-string<S>           $kind
     * @param \Closure(S): Driver<C>    $driver
     * @param \Closure(C): (string|int) $ask    asks the server something
     */
    #[DataProvider('servers')]
    public function testNoBorrowerGetsAConnectionOfBefore(string $extension, string $kind, \Closure $driver, \Closure $ask): void
    {
        $why = \extension_loaded($extension) ? $kind::missing() : "PHP has no extension $extension";
        if ($why !== null || !is_dir('/proc/self/fd')) {
            self::markTestSkipped($why ?? 'no /proc');
        }
        $server = $kind::start();
        try {
            $pool = new Pool($driver($server));
            $pool->connection();
            $pool->use(static fn (object $c): string|int => $ask($c)); // a second one, as the first is lent
            $pool->release();
            $before = $pool->stats();
            $server->end(SIGQUIT);
            $server->run();
            $ask($pool->connection());
            $pool->use(static fn (object $c): string|int => $ask($c));
            self::assertSame([2, 2], [$pool->stats()['stale'], $pool->stats()['connected'] - $before['connected']], 'both idle ones were replaced');

            $lost = $pool->connection();
            $server->end(SIGQUIT);
            $server->run();
            try {
                $ask($lost);
            } catch (\Exception) {
                // its borrower is told
            }
            unset($lost);
            $pool->release();
            $ask($pool->connection());
            $pool->release();
            self::assertGreaterThanOrEqual(3, $pool->stats()['discarded'] + $pool->stats()['stale'], 'what was lost while it was lent is not lent again');
            self::assertSame(['open' => 1, 'idle' => 1, 'lent' => 0], array_slice($pool->stats(), 0, 3));
            $pool->close();
        } finally {
            $server->stop();
        }
    }

    /** @return iterable<string, array{string, class-string<Daemon>, \Closure, \Closure}> */
    public static function servers(): iterable
    {
        $redis = static function (Redis $server, int $retries): \Redis {
            $redis = new \Redis();
            $redis->connect($server->path());
            $redis->setOption(\Redis::OPT_MAX_RETRIES, $retries);
            $redis->client('setname', 'mine');
            return $redis;
        };
        $name = static fn (\Redis $c): string => $c->client('getname') === 'mine' ? 'mine' : throw new \LogicException('not as it was made');
        yield 'Redis' => ['redis', Redis::class, static fn (Redis $s): Driver => new RedisDriver(static fn (): \Redis => $redis($s, 10)), $name];
        yield 'Redis that does not connect anew' => ['redis', Redis::class, static fn (Redis $s): Driver => new RedisDriver(static fn (): \Redis => $redis($s, 0)), $name];
        yield 'pgsql' => ['pgsql', PostgresServer::class, static fn (PostgresServer $s): Driver => new PostgresDriver($s->dsn()),
            static fn (\PgSql\Connection $c): int => pg_num_rows(Postgres::query($c, 'SELECT 1', [], 5.0))];
        yield 'mysqli' => ['mysqli', MariaDb::class, static fn (MariaDb $s): Driver => new MysqliDriver($s->connect(...)),
            static fn (\mysqli $c): int => Mysql::query($c, 'DO 1', 5.0) === true ? 1 : 0];
        yield 'PDO, MariaDB' => ['pdo_mysql', MariaDb::class, static fn (MariaDb $s): Driver => new PdoDriver(static fn (): \PDO => new \PDO("mysql:unix_socket={$s->socket()}", 'root', '')), self::one(...)];
        yield 'PDO, PostgreSQL' => ['pdo_pgsql', PostgresServer::class, static fn (PostgresServer $s): Driver => new PdoDriver(static fn (): \PDO => new \PDO("pgsql:{$s->dsn()}")), self::one(...)];
    }

    private static function one(\PDO $connection): string
    {
        $result = $connection->query('SELECT 1');
        return $result === false ? '' : (string) $result->fetchColumn();
    }
}
