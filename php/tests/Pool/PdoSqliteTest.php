<?php

declare(strict_types=1);

namespace Tusk\Tests\Pool;

use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Tusk\Pool\PdoDriver;
use Tusk\Pool\Pool;

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

    public function testAPersistentConnectionIsRefusedAsTwoBorrowersWouldShareItsTransaction(): void
    {
        $pool = new Pool(new PdoDriver(static fn (): \PDO => new \PDO('sqlite::memory:', null, null, [\PDO::ATTR_PERSISTENT => true])));
        $error = null;
        try {
            $pool->use(static fn (\PDO $lent): null => null);
        } catch (\Throwable $error) {
        }
        self::assertInstanceOf(\LogicException::class, $error);
        self::assertStringContainsString('PDO::ATTR_PERSISTENT', $error->getMessage());
        self::assertSame([0, 1], [$pool->stats()['open'], $pool->stats()['failed']]);
    }

    public function testPdoWithOtherAttributesThanItWasMadeWithIsNotLentAgain(): void
    {
        $pool = new Pool(new PdoDriver(static fn (): \PDO => new \PDO('sqlite::memory:', options: [\PDO::ATTR_DEFAULT_FETCH_MODE => \PDO::FETCH_ASSOC])));
        $changed = [
            \PDO::ATTR_ERRMODE => \PDO::ERRMODE_SILENT, \PDO::ATTR_DEFAULT_FETCH_MODE => \PDO::FETCH_OBJ, \PDO::ATTR_CASE => \PDO::CASE_UPPER,
            \PDO::ATTR_ORACLE_NULLS => \PDO::NULL_TO_STRING, \PDO::ATTR_STRINGIFY_FETCHES => true,
        ];
        foreach ($changed as $attribute => $value) {
            $made = $pool->use(static fn (\PDO $c): mixed => $c->getAttribute($attribute));
            self::assertTrue($pool->use(static fn (\PDO $c): bool => $c->setAttribute($attribute, $value)));
            self::assertSame($made, $pool->use(static fn (\PDO $c): mixed => $c->getAttribute($attribute)));
        }
        self::assertSame(\count($changed), $pool->stats()['discarded']);
    }
}
