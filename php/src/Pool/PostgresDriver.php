<?php

declare(strict_types=1);

namespace Tusk\Pool;

use PgSql\Connection;
use Tusk\Async\Postgres;
use Tusk\Async\QueryFailed;
use Tusk\Async\TimedOut;
use Tusk\Wait;

/**
 * Connections for Tusk\Async\Postgres: nothing blocks but the look-up of a host's name.
 *
 * @implements Driver<Connection>
 */
final readonly class PostgresDriver implements Driver
{
    /**
     * @param float       $timeout seconds for connecting, for a ping, and for `reset`
     * @param string|null $reset   sent to each connection that comes back clean; its answer is read when it is lent again. "DISCARD ALL" ends its temporary tables,
     *                             settings, prepared statements, LISTENs and advisory locks. null: they stay for the next borrower
     */
    public function __construct(#[\SensitiveParameter] private string $dsn, private float $timeout = 5.0, private ?string $reset = null)
    {
        if (!\extension_loaded('pgsql')) {
            throw new \LogicException('PHP has no extension pgsql');
        }
    }

    public function connect(): Connection
    {
        return Postgres::connect($this->dsn, $this->timeout);
    }

    /** An idle connection hears nothing but its end, what was notified, and the answer to `reset`. */
    public function isStale(object $connection): bool
    {
        if ($this->reset !== null && !$this->wasReset($connection)) {
            return true;
        }
        while (pg_connection_status($connection) === PGSQL_CONNECTION_OK && ($socket = @pg_socket($connection)) !== false) {
            if (!Wait::readable($socket, 0.0)) {
                return false;
            }
            if (!@pg_consume_input($connection)) {
                return true;
            }
        }
        return true;
    }

    private function wasReset(Connection $connection): bool
    {
        if (pg_transaction_status($connection) === PGSQL_TRANSACTION_ACTIVE) {
            try {
                Postgres::answer($connection, $this->timeout);
            } catch (QueryFailed | TimedOut) {
                return false;
            }
        }
        while (@pg_get_notify($connection) !== false) {
            continue; // what was told to the former borrower
        }
        return true;
    }

    public function ping(object $connection): bool
    {
        Postgres::query($connection, 'SELECT 1', [], $this->timeout);
        return true;
    }

    /** libpq knows without asking: a transaction, or an answer that is still owed, ends with the connection. */
    public function reset(object $connection): bool
    {
        if (pg_connection_status($connection) !== PGSQL_CONNECTION_OK || pg_transaction_status($connection) !== PGSQL_TRANSACTION_IDLE) {
            return false;
        }
        return $this->reset === null || @pg_send_query($connection, $this->reset) !== false; // a destructor, where one cannot wait
    }

    public function close(object $connection): void
    {
        Postgres::abandon($connection);
    }
}
