<?php

declare(strict_types=1);

namespace Tusk\Pool;

use Predis\Client;
use Predis\Connection\NodeConnectionInterface;
use Predis\PredisException;
use Tusk\Async\Sockets;
use Tusk\Wait;

/**
 * Connections of the Composer package predis/predis, each to one server. Its commands block the process, for as long as Redis takes.
 *
 * @implements Driver<Client>
 */
final readonly class PredisDriver implements Driver
{
    /** @var \WeakMap<Client, string|null> what the server knew of it when it was made */
    private \WeakMap $made;

    /** @param \Closure(): Client $connect gives one of its own, not persistent; it is connected here */
    public function __construct(private \Closure $connect)
    {
        if (!class_exists(Client::class)) {
            throw new \LogicException('The Composer package predis/predis is not installed');
        }
        $this->made = new \WeakMap();
    }

    public function connect(): Client
    {
        $connection = Sockets::connect(function (): Client {
            $client = ($this->connect)();
            self::node($client)->connect();
            return $client;
        });
        $this->made[$connection] = self::told($connection);
        return $connection;
    }

    /** An idle connection hears nothing but its end. */
    public function isStale(object $connection): bool
    {
        return !$connection->isConnected() || self::hears($connection);
    }

    public function ping(object $connection): bool
    {
        try {
            return $connection->executeRaw(['PING']) === 'PONG';
        } catch (PredisException) {
            return false;
        }
    }

    /**
     * In MULTI the server queues these instead of doing them, while it pushes messages it refuses them; else keys that were watched are let go,
     * and the database is the one that its parameters name. Another user or name, and what else the server knows of it, would be the next
     * borrower's surprise.
     */
    public function reset(object $connection): bool
    {
        if (!$connection->isConnected() || self::hears($connection)) {
            return false;
        }
        $database = self::node($connection)->getParameters()->database ?? 0;
        try {
            return $connection->executeRaw(['UNWATCH']) === 'OK' && $connection->executeRaw(['SELECT', (string) $database]) === 'OK'
                && self::told($connection) === $this->made[$connection];
        } catch (PredisException) {
            return false;
        }
    }

    public function close(object $connection): void
    {
        try {
            $connection->disconnect();
        } catch (PredisException) {
            // it has ended already
        }
    }

    private static function told(Client $connection): ?string
    {
        return RedisClient::parse($connection->executeRaw(['CLIENT', 'INFO']));
    }

    private static function hears(Client $client): bool
    {
        $socket = Sockets::of($client);
        return $socket !== null && Wait::readable($socket, 0.0);
    }

    private static function node(Client $client): NodeConnectionInterface
    {
        $connection = $client->getConnection();
        return $connection instanceof NodeConnectionInterface ? $connection
            : throw new \LogicException('A pool lends connections to one server, and this client of Predis has ' . $connection::class);
    }
}
