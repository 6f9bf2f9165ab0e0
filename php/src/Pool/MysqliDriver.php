<?php

declare(strict_types=1);

namespace Tusk\Pool;

use Tusk\Async\Mysql;
use Tusk\Async\QueryFailed;
use Tusk\Async\TimedOut;
use Tusk\Wait;

/**
 * Connections for Tusk\Async\Mysql. Connecting blocks, and so does the round trip that asks, when one comes back, whether it is in a
 * transaction, and still as it was made: mysqli does not tell.
 *
 * @implements Driver<\mysqli>
 */
final readonly class MysqliDriver implements Driver
{
    /** The system variable of MariaDB is not there: MySQL. */
    private const UNKNOWN_VARIABLE = 1193;
    /** mysqli_poll() is select(), which takes no higher numbers. */
    private const SELECT_MAX = 1024;
    /** What the next borrower would be surprised by: his work is committed by nobody, or done elsewhere, or as somebody else. */
    private const STATE = '@@autocommit, DATABASE(), CURRENT_USER()';

    /** @var \WeakMap<\mysqli, list<string|null>> its STATE when it was made */
    private \WeakMap $made;

    /**
     * @param \Closure(): \mysqli $connect not a persistent one
     * @param float               $timeout seconds for a ping, and for what is asked when one is made or comes back: no answer, and it is not lent
     */
    public function __construct(private \Closure $connect, private float $timeout = 5.0)
    {
        if (!\extension_loaded('mysqli')) {
            throw new \LogicException('PHP has no extension mysqli');
        }
        $this->made = new \WeakMap();
    }

    /** @throws TimedOut|QueryFailed it does not tell how it is: as it could not be lent again, it is not lent at all */
    public function connect(): \mysqli
    {
        $connection = Mysql::connect($this->connect);
        $state = self::row($this->ask($connection, 'SELECT ' . self::STATE));
        if ($state === null) {
            $why = $connection->errno === 0 ? TimedOut::after($this->timeout, 'The state of a new connection')
                : QueryFailed::because($connection->error, $connection->sqlstate, $connection->errno);
            $this->close($connection);
            throw $why;
        }
        $this->made[$connection] = $state;
        return $connection;
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
            $row = self::row($this->ask($connection, 'SELECT @@in_transaction, ' . self::STATE));
            if ($row !== null) {
                $clean = array_shift($row) === '0';
                if (!$clean) {
                    $this->ask($connection, 'ROLLBACK'); // refused in XA, which the end of the connection rolls back
                }
                return $clean && $row === $this->made[$connection];
            }
        } catch (\mysqli_sql_exception $e) {
            if ($e->getCode() !== self::UNKNOWN_VARIABLE) {
                return false;
            }
        }
        return $connection->errno === self::UNKNOWN_VARIABLE && $this->ask($connection, 'ROLLBACK') === true
            && self::row($this->ask($connection, 'SELECT ' . self::STATE)) === $this->made[$connection];
    }

    /** @return list<string|null>|null numbers as text, also by MYSQLI_OPT_INT_AND_FLOAT_NATIVE */
    private static function row(\mysqli_result|bool $result): ?array
    {
        $row = $result instanceof \mysqli_result ? $result->fetch_row() : null;
        return \is_array($row) ? array_map(static fn (mixed $value): ?string => \is_scalar($value) ? (string) $value : null, array_values($row)) : null;
    }

    /** As mysqli::query(), but no longer than $timeout: a server that stands still would hold up the process. False: no answer, or an error. */
    private function ask(\mysqli $connection, string $sql): \mysqli_result|bool
    {
        $end = hrtime(true) + $this->timeout * 1e9;
        if ($connection->query($sql, MYSQLI_ASYNC) === false) {
            return false;
        }
        $socket = Mysql::descriptor($connection);
        do {
            $left = max(0.0, ($end - hrtime(true)) / 1e9);
            if ($socket === null || $socket < self::SELECT_MAX) {
                $answers = Mysql::answers($connection, $left);
            } else {
                usleep(100);
                $answers = Wait::readable($socket, 0.0);
            }
        } while (!$answers && $left > 0);
        return $answers ? $connection->reap_async_query() : false;
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
