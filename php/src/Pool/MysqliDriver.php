<?php

declare(strict_types=1);

namespace Tusk\Pool;

use Tusk\Async\Mysql;
use Tusk\Wait;

/**
 * Connections for Tusk\Async\Mysql. Connecting blocks, and so does the round trip that asks, when one comes back, whether it is in a
 * transaction: mysqli does not tell.
 *
 * @implements Driver<\mysqli>
 */
final readonly class MysqliDriver implements Driver
{
    /** The system variable of MariaDB is not there: MySQL. */
    private const UNKNOWN_VARIABLE = 1193;

    /**
     * @param \Closure(): \mysqli $connect not a persistent one
     * @param float               $timeout seconds for a ping
     */
    public function __construct(private \Closure $connect, private float $timeout = 5.0)
    {
        if (!\extension_loaded('mysqli')) {
            throw new \LogicException('PHP has no extension mysqli');
        }
    }

    public function connect(): \mysqli
    {
        return Mysql::connect($this->connect);
    }

    /** An idle connection hears nothing but its end. */
    public function isStale(object $connection): bool
    {
        $socket = Mysql::descriptor($connection);
        return $socket !== null && Wait::readable($socket, 0.0);
    }

    public function ping(object $connection): bool
    {
        $result = Mysql::query($connection, 'DO 1', $this->timeout);
        return $result === true;
    }

    /** In mid-query the question itself fails. MySQL cannot be asked: there ROLLBACK makes it clean. */
    public function reset(object $connection): bool
    {
        try {
            $result = $connection->query('SELECT @@in_transaction');
            if ($result instanceof \mysqli_result) {
                return (string) $result->fetch_column() === '0' || !$connection->rollback(); // an int by MYSQLI_OPT_INT_AND_FLOAT_NATIVE
            }
        } catch (\mysqli_sql_exception $e) {
            if ($e->getCode() !== self::UNKNOWN_VARIABLE) {
                return false;
            }
        }
        return $connection->errno === self::UNKNOWN_VARIABLE && $connection->rollback();
    }

    public function close(object $connection): void
    {
        try {
            $connection->close();
        } catch (\Error) {
            // its user has closed it already
        }
    }
}
