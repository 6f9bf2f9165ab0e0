<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard;

use PgSql\Connection;
use Tusk\Async\Postgres;
use Tusk\Pool\Options;
use Tusk\Pool\Pool;
use Tusk\Pool\PostgresDriver;

/**
 * PostgreSQL by a pool of connections: each task that asks is lent one until its end, and waits for the answer without holding up the others.
 * Every process has a pool of its own.
 */
final class Database
{
    private const WAIT_S = 5.0;
    private const CONNECTIONS_MAX = 16;

    /** @var Pool<Connection>|null */
    private ?Pool $pool = null;

    /** @param string $dsn of PostgreSQL; "": none */
    public function __construct(private readonly string $dsn) {}

    /**
     * The first row.
     *
     * @param list<string> $parameters
     *
     * @return array<array-key, string|null> by column
     */
    public function row(string $sql, array $parameters): array
    {
        $result = Postgres::query($this->pool()->connection(), $sql, $parameters, self::WAIT_S);
        $row = pg_fetch_assoc($result) ?: [];

        return array_map(static fn (mixed $value): ?string => is_string($value) ? $value : null, $row);
    }

    /** What the pool of this process did so far; null: there is no database. */
    public function told(): ?string
    {
        if ($this->dsn === '') {
            return null;
        }
        $stats = $this->pool()->stats();

        return sprintf(
            'Queries borrow their connections from a Tusk\Pool\Pool of at most %d. The one of this process: %d open, %d lent now, %d lent so far, of which %d had to wait, %d discarded. Each worker has its own.',
            self::CONNECTIONS_MAX,
            $stats['open'],
            $stats['lent'],
            $stats['borrowed'],
            $stats['waited'],
            $stats['discarded'],
        );
    }

    /** @return Pool<Connection> */
    private function pool(): Pool
    {
        if ($this->dsn === '') {
            throw new \RuntimeException('no database: start with --dsn="host=… dbname=…"');
        }
        if (!extension_loaded('pgsql')) {
            throw new \RuntimeException('PHP has no extension pgsql');
        }

        return $this->pool ??= new Pool(new PostgresDriver($this->dsn, self::WAIT_S), new Options(max: self::CONNECTIONS_MAX));
    }
}
