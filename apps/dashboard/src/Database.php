<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard;

use PgSql\Connection;
use Tusk\Resource\Scheduler;

/** PostgreSQL without blocking: who waits for an answer waits with the scheduler. Each query has a connection of its own while it runs. */
final class Database
{
    private const WAIT_S = 5.0;
    private const IDLE_MAX = 16;

    /** @var list<Connection> */
    private array $idle = [];

    public function __construct(
        private readonly string $dsn,
        private readonly Scheduler $scheduler,
    ) {}

    /**
     * The first row.
     *
     * @param list<string> $parameters
     *
     * @return array<array-key, string|null> by column
     */
    public function row(string $sql, array $parameters): array
    {
        $connection = array_pop($this->idle) ?? $this->connect();
        if (pg_send_query_params($connection, $sql, $parameters) !== true) {
            throw new \RuntimeException('the query cannot be sent: ' . pg_last_error($connection));
        }
        $socket = pg_socket($connection);
        while (pg_connection_busy($connection)) {
            if ($socket === false || !$this->scheduler->readable($socket, self::WAIT_S)) {
                throw new \RuntimeException('the database does not answer'); // and this connection is not used again
            }
            pg_consume_input($connection);
        }
        $row = [];
        while (($result = pg_get_result($connection)) !== false) {
            $error = pg_result_error($result);
            if ($error !== false && $error !== '') {
                throw new \RuntimeException(trim($error));
            }
            $row = pg_fetch_assoc($result) ?: $row;
        }
        if (count($this->idle) < self::IDLE_MAX) {
            $this->idle[] = $connection;
        }

        return array_map(static fn (mixed $value): ?string => is_string($value) ? $value : null, $row);
    }

    private function connect(): Connection
    {
        if ($this->dsn === '') {
            throw new \RuntimeException('no database: start with --dsn="host=… dbname=…"');
        }
        if (!function_exists('pg_connect')) {
            throw new \RuntimeException('PHP has no extension pgsql');
        }
        $connection = @pg_connect($this->dsn, PGSQL_CONNECT_FORCE_NEW);

        return $connection instanceof Connection ? $connection : throw new \RuntimeException('the database cannot be reached');
    }
}
