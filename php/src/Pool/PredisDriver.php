<?php

declare(strict_types=1);

namespace Tusk\Pool;

use Predis\Client;
use Predis\Command\RawCommand;
use Predis\Connection\NodeConnectionInterface;
use Predis\PredisException;
use Predis\Response\ResponseInterface;
use Tusk\Async\Sockets;
use Tusk\Async\TimedOut;
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

    /**
     * @param \Closure(): Client $connect gives one of its own; it is connected here. Not a persistent one: PHP gives the same one to two borrowers; it is refused
     * @param float              $timeout seconds for a ping, and for what is asked when one is made or comes back: no answer, and it is not lent
     */
    public function __construct(private \Closure $connect, private float $timeout = 5.0)
    {
        if (!class_exists(Client::class)) {
            throw new \LogicException('The Composer package predis/predis is not installed');
        }
        $this->made = new \WeakMap();
    }

    /** @throws TimedOut|\LogicException it does not tell how it is; it is none that can be lent */
    public function connect(): Client
    {
        $connection = Sockets::connect(function (): Client {
            $client = ($this->connect)();
            $node = self::node($client);
            if (filter_var($node->getParameters()->persistent ?? false, FILTER_VALIDATE_BOOLEAN, FILTER_NULL_ON_FAILURE) !== false) { // as Predis reads it; else it is a name
                throw new \LogicException('A persistent connection (\'persistent\') is shared behind the pool\'s back: open it without');
            }
            $node->connect();
            return $client;
        });
        $answers = $this->ask($connection, ['CLIENT', 'INFO']);
        if ($answers === null) {
            throw TimedOut::after($this->timeout, 'The state of a new connection');
        }
        $this->made[$connection] = RedisClient::parse($answers[0]);
        return $connection;
    }

    /** An idle connection hears nothing but its end. */
    public function isStale(object $connection): bool
    {
        return !$connection->isConnected() || !Sockets::isSame($connection) || self::hears($connection);
    }

    public function ping(object $connection): bool
    {
        try {
            return $this->ask($connection, ['PING']) === ['PONG'];
        } catch (PredisException) {
            return false;
        }
    }

    /**
     * In MULTI the server queues these instead of doing them, while it pushes messages it refuses them; else keys that were watched are let go,
     * and the database is the one that its parameters name. Another user or name, and what else the server knows of it, would be the next
     * borrower's surprise. Where Predis has connected anew (after an error, by itself), the number of its descriptor may be another's now.
     */
    public function reset(object $connection): bool
    {
        if (!$connection->isConnected() || !Sockets::isSame($connection) || self::hears($connection)) {
            return false;
        }
        $database = self::node($connection)->getParameters()->database ?? 0;
        try {
            $answers = $this->ask($connection, ['UNWATCH'], ['SELECT', (string) $database], ['CLIENT', 'INFO']);
        } catch (PredisException) {
            return false;
        }
        return $answers !== null && [$answers[0], $answers[1]] === ['OK', 'OK'] && RedisClient::parse($answers[2]) === $this->made[$connection];
    }

    public function close(object $connection): void
    {
        try {
            $connection->disconnect();
        } catch (PredisException) {
            // it has ended already
        }
    }

    /**
     * One round trip. Predis would wait as long as its read_write_timeout says, by itself a minute, and hold up the process.
     *
     * @param non-empty-list<string> ...$commands
     * @return list<mixed>|null null: no answer in time; it is no longer connected, as that one may still come
     */
    private function ask(Client $connection, array ...$commands): ?array
    {
        $node = self::node($connection);
        $commands = array_map(static fn (array $command): RawCommand => new RawCommand($command[0], \array_slice($command, 1)), array_values($commands));
        array_map($node->writeRequest(...), $commands);
        if (!Sockets::answers($connection, $this->timeout)) {
            $connection->disconnect();
            return null;
        }
        return array_map(static fn (RawCommand $command): mixed => self::plain($node->readResponse($command)), $commands);
    }

    /** A status and an error as texts. */
    private static function plain(mixed $answer): mixed
    {
        return $answer instanceof ResponseInterface && $answer instanceof \Stringable ? (string) $answer : $answer;
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
