<?php

declare(strict_types=1);

namespace Tusk\Pool;

use Tusk\Async\Sockets;
use Tusk\Wait;

/**
 * Connections of the extension redis. Its commands block the process, for as long as Redis takes.
 *
 * @implements Driver<\Redis>
 */
final readonly class RedisDriver implements Driver
{
    /** @var \WeakMap<\Redis, array{int, array<int, mixed>, string|false|null}> the database and the options that it was made with, and what the server knew of it */
    private \WeakMap $made;

    /** @param \Closure(): \Redis $connect gives one that is connected, and not persistently */
    public function __construct(private \Closure $connect)
    {
        if (!\extension_loaded('redis')) {
            throw new \LogicException('PHP has no extension redis');
        }
        $this->made = new \WeakMap();
    }

    public function connect(): \Redis
    {
        $connection = Sockets::connect($this->connect);
        $this->made[$connection] = [(int) $connection->getDbNum(), self::options($connection), self::told($connection)];
        return $connection;
    }

    /** An idle connection hears nothing but its end, over TLS also what the handshake left unread. The extension would not tell: it connects anew, without what $connect had said. */
    public function isStale(object $connection): bool
    {
        if (!$connection->isConnected() || !Sockets::isSame($connection)) {
            return true;
        }
        $socket = Sockets::of($connection);
        if ($socket === null || !Wait::readable($socket, 0.0)) {
            return false;
        }
        return !str_starts_with((string) $connection->getHost(), 'tls://') || !$this->ping($connection);
    }

    public function ping(object $connection): bool
    {
        return $connection->ping() !== false && Sockets::isSame($connection);
    }

    /**
     * MULTI and pipelines are open ends, WATCH is let go; another database, user or name, or other options, would be the next borrower's surprise.
     * The server is asked, as the extension does not know what rawCommand() did.
     */
    public function reset(object $connection): bool
    {
        if (!$connection->isConnected() || $connection->getMode() !== \Redis::ATOMIC) {
            return false;
        }
        [$database, $options, $told] = $this->made[$connection];
        if ($connection->getDbNum() !== $database || self::options($connection) !== $options) {
            return false;
        }
        return $told !== false && self::told($connection) === $told && Sockets::isSame($connection);
    }

    public function close(object $connection): void
    {
        try {
            $connection->close();
        } catch (\RedisException) {
            // it has ended already
        }
    }

    /** What the server knows of it, in one round trip that lets go of watched keys; null: it does not tell, false: it is not at rest. */
    private static function told(\Redis $connection): string|false|null
    {
        $pipeline = $connection->pipeline();
        $pipeline->rawCommand('UNWATCH');
        $pipeline->rawCommand('ECHO', 'at rest'); // in MULTI it is queued
        $pipeline->rawCommand('CLIENT', 'INFO');
        $answers = @$pipeline->exec(); // a notice where the connection has ended
        $connection->clearLastError();
        if (!\is_array($answers) || ($answers[0] ?? false) === false || ($answers[1] ?? null) !== 'at rest') {
            return false;
        }
        return RedisClient::parse($answers[2] ?? null);
    }

    /** @return array<int, mixed> what setOption() changes; it is kept on this side */
    private static function options(\Redis $connection): array
    {
        $options = [];
        foreach ((new \ReflectionClass(\Redis::class))->getConstants() as $name => $option) {
            if (\is_int($option) && str_starts_with($name, 'OPT_')) {
                $options[$option] = @$connection->getOption($option);
            }
        }
        return $options;
    }
}
