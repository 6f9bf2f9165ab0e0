<?php

declare(strict_types=1);

namespace Tusk\Tests\Pool;

use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Tusk\Pool\PdoDriver;

#[RequiresPhpExtension('pdo_sqlite')]
final class PdoSqliteTest extends TestCase
{
    /** PDO itself does not know of a transaction that was begun in SQL. */
    public function testATransactionBegunInSqlIsRolledBackAndItsConnectionNotLentAgain(): void
    {
        $driver = new PdoDriver(static fn (): \PDO => new \PDO('sqlite::memory:'));
        $connection = $driver->connect();
        self::assertTrue($driver->reset($connection));
        $connection->exec('CREATE TABLE t (i)');
        $connection->exec('BEGIN');
        $connection->exec('INSERT INTO t VALUES (1)');
        self::assertFalse($driver->reset($connection));
        $rows = $connection->query('SELECT count(*) FROM t');
        self::assertSame(0, $rows === false ? null : (int) $rows->fetchColumn());
    }
}
