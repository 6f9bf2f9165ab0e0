<?php

declare(strict_types=1);

namespace Tusk\Pool;

use PgSql\Connection;
use Tusk\Async\Postgres;
use Tusk\Wait;

/**
 * Connections for Tusk\Async\Postgres: nothing blocks but the look-up of a host's name.
 *
 * @implements Driver<Connection>
 */
final readonly class PostgresDriver implements Driver
{
    /** @param float $timeout seconds for connecting, and for a ping */
    public function __construct(#[\SensitiveParameter] private string $dsn, private float $timeout = 5.0)
    {
        if (!\extension_loaded('pgsql')) {
            throw new \LogicException('PHP has no extension pgsql');
        }
    }

    public function connect(): Connection
    {
        return Postgres::connect($this->dsn, $this->timeout);
    }

    /** An idle connection hears nothing but its end, and what was notified. */
    public function isStale(object $connection): bool
    {
        $socket = @pg_socket($connection);
        while ($socket !== false && Wait::readable($socket, 0.0)) {
            if (!@pg_consume_input($connection)) {
                return true;
            }
        }
        return $socket === false || pg_connection_status($connection) !== PGSQL_CONNECTION_OK;
    }

    public function ping(object $connection): bool
    {
        Postgres::query($connection, 'SELECT 1', [], $this->timeout);
        return true;
    }

    /** libpq knows without asking: a transaction, or an answer that is still owed, ends with the connection. */
    public function reset(object $connection): bool
    {
        return pg_connection_status($connection) === PGSQL_CONNECTION_OK && pg_transaction_status($connection) === PGSQL_TRANSACTION_IDLE;
    }

    public function close(object $connection): void
    {
        Postgres::abandon($connection);
    }
}
