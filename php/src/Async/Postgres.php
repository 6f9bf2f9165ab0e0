<?php

declare(strict_types=1);

namespace Tusk\Async;

use PgSql\Connection;
use PgSql\Result;

/**
 * PostgreSQL by the extension pgsql, without blocking: in a task of Parallel::async() or a handler of a Tusk server only that one waits.
 *
 * After an exception in mid-query (a timeout, a cancelled task) the connection still owes an answer: use it no more, or lend it from a
 * Tusk\Pool\Pool, which looks.
 */
final class Postgres
{
    private function __construct() {}

    /**
     * A connection of one's own; names are looked up by libpq, which blocks: prefer addresses or a Unix socket.
     *
     * @throws QueryFailed when there is no server, or it refuses
     * @throws TimedOut
     */
    public static function connect(string $dsn, ?float $timeout = null): Connection
    {
        $deadline = new Deadline($timeout, 'PostgreSQL, connecting');
        [$connection, $warning] = self::quietly(static fn () => pg_connect($dsn, PGSQL_CONNECT_ASYNC | PGSQL_CONNECT_FORCE_NEW));
        if (!$connection instanceof Connection) {
            throw QueryFailed::because($warning);
        }
        $status = PGSQL_POLLING_WRITING;
        while ($status !== PGSQL_POLLING_OK) {
            $socket = $status === PGSQL_POLLING_FAILED ? false : @pg_socket($connection);
            if ($socket === false) {
                throw QueryFailed::because(self::error($connection));
            }
            if ($status === PGSQL_POLLING_READING) {
                $deadline->readable($socket);
            } else {
                $deadline->writable($socket);
            }
            $status = pg_connect_poll($connection);
        }
        stream_set_blocking(self::socket($connection), false);
        return $connection;
    }

    /**
     * One query with its parameters ($1, $2, …); the last result of it.
     *
     * @param array<array-key, string|int|float|bool|null> $parameters
     * @param float|null $timeout seconds for the whole of it
     * @throws QueryFailed when the server refuses it, or is gone
     * @throws TimedOut
     */
    public static function query(Connection $connection, string $sql, array $parameters = [], ?float $timeout = null): Result
    {
        $deadline = new Deadline($timeout, 'PostgreSQL');
        $socket = self::socket($connection);
        $parameters = array_map(static fn (mixed $value): mixed => \is_bool($value) ? ($value ? 't' : 'f') : $value, array_values($parameters));
        [$sent, $warning] = self::quietly(static fn () => pg_send_query_params($connection, $sql, $parameters));
        if ($sent === false) {
            throw QueryFailed::because($warning === '' ? self::error($connection) : $warning);
        }
        while ($sent === 0) {
            $deadline->writable($socket);
            $sent = pg_flush($connection);
        }
        return self::last($connection, $socket, $deadline);
    }

    /**
     * Ends a connection at once, also one that owes an answer: for that one pg_close() would wait. The server ends its query by itself, as it
     * does when it notices (client_connection_check_interval).
     */
    public static function abandon(Connection $connection): void
    {
        if (pg_transaction_status($connection) === PGSQL_TRANSACTION_ACTIVE) {
            $socket = @pg_socket($connection);
            $raw = $socket === false || !\function_exists('socket_import_stream') ? false : @socket_import_stream($socket);
            if ($raw === false || !@socket_shutdown($raw)) {
                @pg_cancel_query($connection);
            }
        }
        @pg_close($connection);
    }

    /** @param resource $socket */
    private static function last(Connection $connection, $socket, Deadline $deadline): Result
    {
        $last = $error = null;
        $open = true;
        while (true) {
            while ($open && @pg_connection_busy($connection)) { // it warns of a connection that ended, which the result tells as well
                $deadline->readable($socket);
                $open = @pg_consume_input($connection);
            }
            $result = pg_get_result($connection);
            if ($result === false) {
                return $error === null && $last !== null ? $last : throw $error ?? QueryFailed::because(self::error($connection));
            }
            $text = pg_result_error($result);
            if ($text !== '' && $text !== false) {
                $error ??= QueryFailed::because($text, (string) pg_result_error_field($result, PGSQL_DIAG_SQLSTATE));
            }
            $last = $result;
        }
    }

    /** @return resource */
    private static function socket(Connection $connection)
    {
        $socket = @pg_socket($connection);
        return $socket === false ? throw QueryFailed::because(self::error($connection)) : $socket;
    }

    private static function error(Connection $connection): string
    {
        $text = @pg_last_error($connection);
        return $text === '' ? 'the connection to PostgreSQL has ended' : $text;
    }

    /**
     * What it gives, and the warning instead of its being shown.
     *
     * @template T
     * @param \Closure(): T $do
     * @return array{T, string}
     */
    private static function quietly(\Closure $do): array
    {
        $warning = '';
        set_error_handler(static function (int $level, string $text) use (&$warning): bool {
            $warning = $text;
            return true;
        });
        try {
            return [$do(), $warning];
        } finally {
            restore_error_handler();
        }
    }
}
