<?php

declare(strict_types=1);

namespace Tusk\Async;

use Tusk\Timer;

/**
 * MySQL and MariaDB by the extension mysqli: in a task of Parallel::async() or a handler of a Tusk server only that one waits for the first
 * bytes of an answer. Connecting blocks, and so does reading the rest of a long result.
 *
 * mysqli shows no descriptor. That of a connection made here is found by what became open meanwhile (/proc/self/fd, one listing for each
 * connect); of others, and where there is no /proc, the answer is looked for each millisecond.
 */
final class Mysql
{
    private const LOOK_S = 0.001;

    private function __construct() {}

    /**
     * What $connect gives, with its descriptor remembered.
     *
     * @param \Closure(): \mysqli $connect
     */
    public static function connect(\Closure $connect): \mysqli
    {
        return Sockets::connect($connect);
    }

    /** @return int|null the number of its descriptor, where that is known */
    public static function descriptor(\mysqli $connection): ?int
    {
        return Sockets::of($connection);
    }

    /**
     * One query, as mysqli::query(); after an exception the connection owes an answer and is good for nothing more.
     *
     * @return \mysqli_result|true true for a query without rows
     * @throws QueryFailed when the server refuses it, or is gone
     * @throws TimedOut
     */
    public static function query(\mysqli $connection, string $sql, ?float $timeout = null): \mysqli_result|bool
    {
        $deadline = new Deadline($timeout, 'MySQL');
        try {
            if ($connection->query($sql, MYSQLI_ASYNC) === false) {
                throw self::error($connection);
            }
            $socket = self::descriptor($connection);
            if ($socket !== null) {
                $deadline->readable($socket);
            } else {
                while (!self::answers($connection, 0.0)) {
                    $deadline->check();
                    Timer::sleep(self::LOOK_S);
                }
            }
            $result = $connection->reap_async_query();
        } catch (\mysqli_sql_exception $e) {
            throw QueryFailed::because($e->getMessage(), $e->getSqlState(), $e->getCode());
        }
        return $result instanceof \mysqli_result ? $result : ($connection->errno === 0 ? true : throw self::error($connection));
    }

    /**
     * Whether an answer begins within that time, which blocks. A signal ends it early.
     *
     * @internal
     * @throws \LogicException mysqli_poll() is select(), which takes no descriptor from 1,024 on
     */
    public static function answers(\mysqli $connection, float $seconds): bool
    {
        $read = $error = $reject = [$connection];
        $count = @mysqli_poll($read, $error, $reject, (int) $seconds, (int) (fmod($seconds, 1.0) * 1e6)); // it would warn at each look
        return $count === false ? throw new \LogicException('mysqli_poll() takes no descriptor from 1024 on, and that of this connection is not known: let Mysql::connect() open it, where /proc is')
            : $count > 0;
    }

    private static function error(\mysqli $connection): QueryFailed
    {
        return QueryFailed::because($connection->error, $connection->sqlstate, $connection->errno);
    }
}
