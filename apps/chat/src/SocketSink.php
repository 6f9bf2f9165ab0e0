<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

use Tusk\WebSocket\Connection;

/** A user's connection over WebSocket. */
final readonly class SocketSink implements Sink
{
    public function __construct(private Connection $connection) {}

    public function id(): string
    {
        return "ws {$this->connection->id}";
    }

    public function send(string $data, string $event, ?string $id = null): void
    {
        // A connection may go between a command and its answer; what it missed it gets when it comes back.
        if ($this->connection->isOpen()) {
            $this->connection->send($data);
        }
    }

    public function subscribe(string $topic): void
    {
        $this->connection->subscribe($topic);
    }

    public function unsubscribe(string $topic): void
    {
        $this->connection->unsubscribe($topic);
    }

    public function close(): void
    {
        $this->connection->close(4001, 'logged out');
    }
}
