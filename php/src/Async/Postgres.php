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
    /** @var \WeakMap<Connection, int>|null those whose answer was given up, and the process whose they are */
    private static ?\WeakMap $owing = null;

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
        self::cutOwing();
        [$connection, $warning] = self::quietly(static fn () => pg_connect($dsn, PGSQL_CONNECT_ASYNC | PGSQL_CONNECT_FORCE_NEW));
        if (!$connection instanceof Connection) {
            throw QueryFailed::because($warning);
        }
        $status = PGSQL_POLLING_WRITING;
        try {
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
        } finally {
            if ($status !== PGSQL_POLLING_OK) {
                pg_close($connection); // PHP holds the one that was made last: the server would let it in, for nobody
            }
        }
        return $connection;
    }

    /**
     * One query with its parameters ($1, $2, …); the last result of it. Bytes (bytea) go as pg_escape_bytea() writes them, floats with all their digits.
     *
     * @param array<array-key, string|int|float|bool|\Stringable|null> $parameters
     * @param float|null $timeout seconds for the whole of it
     * @throws QueryFailed when the server refuses it, or is gone
     * @throws TimedOut
     * @throws \LogicException when another task waits for an answer of this connection, or an earlier one was given up
     * @throws \TypeError|\ValueError for a parameter that has no text, or a NUL byte
     */
    public static function query(Connection $connection, string $sql, array $parameters = [], ?float $timeout = null): Result
    {
        $deadline = new Deadline($timeout, 'PostgreSQL');
        $socket = self::idle($connection);
        if (str_contains($sql, "\0")) {
            throw new \ValueError('The query has a NUL byte, where libpq would cut it');
        }
        $parameters = array_map(self::text(...), array_values($parameters), array_keys(array_values($parameters)));
        stream_set_blocking($socket, true); // of pgsql's own streams true is non-blocking, and pg_query() takes it back
        [$sent, $warning] = self::quietly(static fn () => pg_send_query_params($connection, $sql, $parameters));
        if ($sent === false) {
            throw QueryFailed::because($warning === '' ? self::error($connection) : $warning);
        }
        return self::noting($connection, static function () use ($connection, $socket, $deadline, $sent): Result {
            while ($sent === 0) {
                $deadline->writable($socket);
                $sent = pg_flush($connection);
            }
            return self::last($connection, $socket, $deadline);
        });
    }

    /**
     * What a NOTIFY told since the last one, for a connection of its own that said LISTEN; null when the time is over.
     *
     * @param float|null $timeout seconds; null: until there is one
     * @throws QueryFailed when the server is gone: connect anew, say LISTEN again, and look what was missed
     * @throws \LogicException when a query of this connection waits for its answer
     */
    public static function notification(Connection $connection, ?float $timeout = null): ?Notification
    {
        $deadline = new Deadline($timeout, 'PostgreSQL, a notification');
        while (true) {
            self::idle($connection);
            $told = @pg_get_notify($connection, PGSQL_NUM); // first: it may have come with the answer of a query
            if ($told !== false) {
                [$channel, $pid] = $told;
                return new Notification((string) $channel, (string) ($told[2] ?? ''), (int) $pid);
            }
            try {
                $deadline->readable(self::idle($connection)); // that has read what came, perhaps the end
            } catch (TimedOut) {
                return null;
            }
            if (!@pg_consume_input($connection)) {
                throw QueryFailed::because(self::error($connection));
            }
        }
    }

    /**
     * Ends a connection at once, also one that owes an answer: for that one pg_close() would wait. The server ends its query by itself, as it
     * does when it notices (client_connection_check_interval).
     */
    public static function abandon(Connection $connection): void
    {
        try {
            $owes = pg_transaction_status($connection) === PGSQL_TRANSACTION_ACTIVE;
        } catch (\Error) {
            return; // somebody closed it already
        }
        if ($owes) {
            self::cut($connection);
            self::quietly(static fn () => pg_end_copy($connection)); // in COPY closing would ask for results for ever; harmless otherwise
        }
        @pg_close($connection);
    }

    /** The server's answer comes to nobody; nothing waits for it from now on. */
    private static function cut(Connection $connection): void
    {
        $socket = @pg_socket($connection);
        $raw = $socket === false || !\function_exists('socket_import_stream') ? false : @socket_import_stream($socket);
        if ($raw === false || !@socket_shutdown($raw)) {
            @pg_cancel_query($connection);
        }
    }

    /**
     * PHP's functions hold the connection that was made last, and let go of it when another one is made: of one that nobody else holds the
     * answer would be waited for then, past any timeout.
     */
    private static function cutOwing(): void
    {
        $owing = self::$owing ?? [];
        self::$owing = null;
        foreach ($owing as $connection => $pid) {
            try {
                if ($pid === getmypid() && pg_transaction_status($connection) === PGSQL_TRANSACTION_ACTIVE) {
                    self::cut($connection);
                }
            } catch (\Error) {
                continue; // closed
            }
        }
    }

    /**
     * Of a query that was sent without waiting, the last result.
     *
     * @internal
     * @throws QueryFailed
     * @throws TimedOut
     */
    public static function answer(Connection $connection, ?float $timeout = null): Result
    {
        return self::noting($connection, static fn (): Result => self::last($connection, self::socket($connection), new Deadline($timeout, 'PostgreSQL')));
    }

    /**
     * What $wait gives; it is known of a connection whose answer was given up.
     *
     * @param \Closure(): Result $wait
     */
    private static function noting(Connection $connection, \Closure $wait): Result
    {
        $ended = false;
        unset(self::$owing[$connection]); // somebody waits for what it owes now
        try {
            $result = $wait();
            $ended = true;
            return $result;
        } catch (QueryFailed $e) {
            $ended = true; // or the connection has
            throw $e;
        } finally { // also when its fiber ends in mid-query
            if (!$ended) {
                self::$owing ??= new \WeakMap();
                self::$owing[$connection] = (int) getmypid();
            }
        }
    }

    /** All of them, of which a cast leaves 14, and `serialize_precision` may leave fewer. */
    private static function digits(float $value): string
    {
        $text = (string) json_encode($value);
        return (float) $text === $value ? $text : sprintf('%.17h', $value);
    }

    /** @param resource $socket */
    private static function last(Connection $connection, $socket, Deadline $deadline): Result
    {
        $last = $error = null;
        $open = true;
        while (true) {
            while ($open && @pg_connection_busy($connection)) { // it warns of a connection that ended, which the result tells as well
                $deadline->readable($socket);
                $open = @pg_consume_input($connection) && pg_connection_status($connection) === PGSQL_CONNECTION_OK;
            }
            $result = pg_get_result($connection);
            if ($result === false) {
                return $error === null && $last !== null ? $last : throw $error ?? QueryFailed::because(self::error($connection));
            }
            if (\in_array(pg_result_status($result), [PGSQL_COPY_OUT, PGSQL_COPY_IN], true)) { // libpq gives this result again and again
                self::abandon($connection);
                throw QueryFailed::because('COPY to or from the client cannot wait, and the connection was closed: use pg_copy_to(), pg_copy_from() in a worker');
            }
            $text = pg_result_error($result);
            if ($text !== '' && $text !== false) {
                $error ??= QueryFailed::because($text, (string) pg_result_error_field($result, PGSQL_DIAG_SQLSTATE));
            }
            $last = $result;
        }
    }

    /** A parameter as libpq takes it, which ends at the first NUL byte. */
    private static function text(mixed $value, int $at): ?string
    {
        if ($value !== null && !\is_scalar($value) && !$value instanceof \Stringable) {
            throw new \TypeError(sprintf('Parameter $%d must be a scalar, null or Stringable, %s given', $at + 1, get_debug_type($value)));
        }
        $text = match (true) {
            \is_bool($value) => $value ? 't' : 'f',
            \is_float($value) && is_finite($value) => self::digits($value),
            default => $value === null ? null : (string) $value,
        };
        if ($text !== null && str_contains($text, "\0")) {
            throw new \ValueError(sprintf('Parameter $%d has a NUL byte: pg_escape_bytea() writes bytes', $at + 1));
        }
        return $text;
    }

    /**
     * Sending on one that owes an answer would wait for that answer here, and throw it away.
     *
     * @return resource its socket
     */
    private static function idle(Connection $connection)
    {
        $socket = self::socket($connection);
        if (pg_transaction_status($connection) === PGSQL_TRANSACTION_ACTIVE) {
            throw new \LogicException('This connection is in the middle of another query');
        }
        return pg_connection_status($connection) === PGSQL_CONNECTION_OK ? $socket : throw QueryFailed::because('the connection to PostgreSQL has ended');
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
