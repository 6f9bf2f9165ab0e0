<?php

declare(strict_types=1);

namespace Tusk\Pool;

use Tusk\Async\Sockets;
use Tusk\Wait;

/**
 * Connections of PDO. Its queries block the process: the right place for this pool is a worker of Tusk\Parallel, or a script; in a
 * server's handler or an async task everybody waits for each query. PDO has no time for reading: a server that stands still holds up a ping, and
 * of MySQL each return, for as long as mysqlnd.net_read_timeout says.
 *
 * @implements Driver<\PDO>
 */
final readonly class PdoDriver implements Driver
{
    /** What MySQL's client says of a connection that is gone. */
    private const GONE = [2006, 2013];
    /** What the next borrower of MySQL would be surprised by: his work is committed by nobody, or done elsewhere, or as somebody else. */
    private const MYSQL_STATE = 'SELECT @@autocommit, DATABASE(), CURRENT_USER()';
    /** What setAttribute() changes and getAttribute() tells, of all drivers and of some. */
    private const ATTRIBUTES = [\PDO::ATTR_ERRMODE, \PDO::ATTR_DEFAULT_FETCH_MODE, \PDO::ATTR_CASE, \PDO::ATTR_ORACLE_NULLS, \PDO::ATTR_STRINGIFY_FETCHES, \PDO::ATTR_STATEMENT_CLASS];
    private const ATTRIBUTES_OF = ['mysql' => [\PDO::ATTR_AUTOCOMMIT, \PDO::ATTR_EMULATE_PREPARES, 1000 /* MYSQL_ATTR_USE_BUFFERED_QUERY */], 'pgsql' => [\PDO::ATTR_EMULATE_PREPARES]];

    /** @var \WeakMap<\PDO, array{list<mixed>, mixed}> its attributes and, of MySQL, its state when it was made */
    private \WeakMap $made;

    /** @param \Closure(): \PDO $connect not persistent ones: PHP gives the same one to two borrowers, who would share a transaction; they are refused */
    public function __construct(private \Closure $connect)
    {
        $this->made = new \WeakMap();
    }

    public function connect(): \PDO
    {
        $connection = Sockets::connect($this->connect);
        if ($connection->getAttribute(\PDO::ATTR_PERSISTENT) === true) {
            throw new \LogicException('A persistent connection (PDO::ATTR_PERSISTENT) is shared behind the pool\'s back: open it without');
        }
        $this->made[$connection] = [self::attributes($connection), self::isMysql($connection) ? $this->state($connection) : null];
        return $connection;
    }

    /** An idle connection hears nothing but its end; SQLite's has no socket. */
    public function isStale(object $connection): bool
    {
        $socket = Sockets::of($connection);
        return $socket !== null && Wait::readable($socket, 0.0);
    }

    public function ping(object $connection): bool
    {
        return $this->loudly($connection, static fn (): bool => $connection->query('SELECT 1') !== false);
    }

    public function reset(object $connection): bool
    {
        if (!$connection->inTransaction()) { // of pgsql it is true when the connection is gone
            $clean = match ($connection->getAttribute(\PDO::ATTR_DRIVER_NAME)) {
                'mysql' => $this->goesOn($connection),
                'sqlite' => !$this->rolledBack($connection),
                default => true,
            };
            return $clean && self::attributes($connection) === $this->made[$connection][0];
        }
        $this->loudly($connection, $connection->rollBack(...));
        return false;
    }

    /** It ends when nobody holds it: neither the pool does, nor should its last borrower. */
    public function close(object $connection): void {}

    private static function isMysql(\PDO $connection): bool
    {
        return $connection->getAttribute(\PDO::ATTR_DRIVER_NAME) === 'mysql';
    }

    /** @return list<mixed> */
    private static function attributes(\PDO $connection): array
    {
        $driver = $connection->getAttribute(\PDO::ATTR_DRIVER_NAME);
        return array_map($connection->getAttribute(...), [...self::ATTRIBUTES, ...(\is_string($driver) ? self::ATTRIBUTES_OF[$driver] ?? [] : [])]);
    }

    /** MySQL's client tells an error of a statement to the statement alone, so the server is asked, unless the connection knows already; in mid-query the question fails. */
    private function goesOn(\PDO $connection): bool
    {
        return !\in_array($connection->errorInfo()[1] ?? null, self::GONE, true) && $this->state($connection) === $this->made[$connection][1];
    }

    private function state(\PDO $connection): mixed
    {
        return $this->loudly($connection, static fn (): mixed => ($connection->query(self::MYSQL_STATE, \PDO::FETCH_NUM) ?: null)?->fetchAll());
    }

    /** PDO knows of what beginTransaction() began in SQLite, and not of BEGIN in SQL; without a transaction ROLLBACK is an error. */
    private function rolledBack(\PDO $connection): bool
    {
        try {
            return $this->loudly($connection, static fn (): bool => $connection->exec('ROLLBACK') !== false);
        } catch (\PDOException) {
            return false;
        }
    }

    /**
     * @template T
     * @param \Closure(): T $do
     * @return T
     */
    private function loudly(\PDO $connection, \Closure $do): mixed
    {
        $mode = $connection->getAttribute(\PDO::ATTR_ERRMODE);
        $connection->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_EXCEPTION);
        try {
            return $do();
        } finally {
            $connection->setAttribute(\PDO::ATTR_ERRMODE, $mode);
        }
    }
}
