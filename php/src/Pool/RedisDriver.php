<?php

declare(strict_types=1);

namespace Tusk\Pool;

/**
 * Connections of the extension redis. Its commands block the process, for as long as Redis takes.
 *
 * @implements Driver<\Redis>
 */
final readonly class RedisDriver implements Driver
{
    /** @param \Closure(): \Redis $connect gives one that is connected, and not persistently */
    public function __construct(private \Closure $connect)
    {
        if (!\extension_loaded('redis')) {
            throw new \LogicException('PHP has no extension redis');
        }
    }

    public function connect(): \Redis
    {
        return ($this->connect)();
    }

    public function isStale(object $connection): bool
    {
        return !$connection->isConnected();
    }

    public function ping(object $connection): bool
    {
        return $connection->ping() !== false;
    }

    /** MULTI and pipelines are open ends, WATCH is let go; another database would be the next borrower's surprise. */
    public function reset(object $connection): bool
    {
        if (!$connection->isConnected() || $connection->getMode() !== \Redis::ATOMIC || $connection->getDbNum() !== 0) {
            return false;
        }
        return (bool) $connection->unwatch();
    }

    public function close(object $connection): void
    {
        try {
            $connection->close();
        } catch (\RedisException) {
            // it has ended already
        }
    }
}
