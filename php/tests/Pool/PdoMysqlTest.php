<?php

declare(strict_types=1);

namespace Tusk\Tests\Pool;

use PHPUnit\Framework\TestCase;
use Tusk\Pool\Options;
use Tusk\Pool\PdoDriver;
use Tusk\Pool\Pool;
use Tusk\Tests\Servers\MariaDb;

/** What only a server of MySQL knows of a connection that comes back. */
final class PdoMysqlTest extends TestCase
{
    private static function server(): MariaDb
    {
        $why = \extension_loaded('pdo_mysql') ? MariaDb::missing() : 'PHP has no extension pdo_mysql';
        if ($why !== null) {
            self::markTestSkipped($why);
        }
        return MariaDb::start();
    }

    public function testAMysqlConnectionOfPdoThatIsElsewhereOrCommitsNothingIsNotLentAgain(): void
    {
        $server = self::server();
        try {
            $pool = new Pool(new PdoDriver(static fn (): \PDO => new \PDO("mysql:unix_socket={$server->socket()};dbname=mysql", 'root', '')));
            foreach (['USE information_schema', 'SET autocommit = 0'] as $discarded => $sql) {
                $pool->use(static fn (\PDO $c): int|false => $c->exec($sql));
                self::assertSame($discarded + 1, $pool->stats()['discarded'], $sql);
            }
            $pool->use(static fn (\PDO $c): bool => $c->setAttribute(\PDO::ATTR_AUTOCOMMIT, 0));
            $pool->use(static fn (\PDO $c): int|false => $c->exec('DO 1'));
            self::assertSame(['open' => 1, 'idle' => 1, 'lent' => 0], array_slice($pool->stats(), 0, 3));
            self::assertSame(3, $pool->stats()['discarded']);
        } finally {
            $server->stop();
        }
    }

    public function testAMysqlConnectionThatBrokeInAStatementOrIsInMidQueryIsNotLentAgain(): void
    {
        $server = self::server();
        try {
            $open = static fn (): \PDO => new \PDO("mysql:unix_socket={$server->socket()}", 'root', '', [\PDO::ATTR_ERRMODE => \PDO::ERRMODE_SILENT, \PDO::ATTR_EMULATE_PREPARES => false]);
            $pool = new Pool(new PdoDriver($open), new Options(pingAfter: 1e6));
            $first = $pool->connection();
            $statement = $first->prepare('SELECT 1');
            $pool->release();
            self::assertSame($first, $pool->connection());
            $open()->exec('KILL ' . (int) ($first->query('SELECT connection_id()') ?: self::fail())->fetchColumn());
            self::assertFalse(@$statement->execute());
            self::assertNull($first->errorInfo()[1]); // the connection itself does not know
            $pool->release();
            $second = $pool->connection();
            self::assertNotSame($first, $second);
            $second->setAttribute(\PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
            $rows = $second->query('SELECT 1 UNION SELECT 2');
            $pool->release();
            self::assertNotSame($second, $pool->connection());
            self::assertNotFalse($rows);
            self::assertSame(2, $pool->stats()['discarded']);
        } finally {
            $server->stop();
        }
    }

    /** PDO has no time for reading; mysqlnd takes it when a connection is made. */
    public function testAServerThatStandsStillHoldsUpAReturnForMysqlndsReadTimeoutOnly(): void
    {
        $server = self::server();
        if (ini_get('mysqlnd.net_read_timeout') === false) {
            self::markTestSkipped('PDO is not built with mysqlnd');
        }
        try {
            $pool = new Pool(new PdoDriver(static function () use ($server): \PDO {
                $before = (string) ini_set('mysqlnd.net_read_timeout', '1');
                try {
                    return new \PDO("mysql:unix_socket={$server->socket()}", 'root', '');
                } finally {
                    ini_set('mysqlnd.net_read_timeout', $before);
                }
            }));
            $pool->connection();
            $server->signal(SIGSTOP);
            @$pool->release();
            self::assertSame([1, 0], [$pool->stats()['discarded'], $pool->stats()['idle']]);
        } finally {
            $server->signal(SIGCONT);
            $server->stop();
        }
    }
}
