<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Chat;

use Tusk\Server;
use Tusk\WebSocket\MessageType;

/** The topics of the running server. */
final readonly class ServerHub implements Hub
{
    public function __construct(private Server $server) {}

    public function publish(string $topic, string $data, string $event, string $id): void
    {
        $this->server->publish($topic, $data, MessageType::Text, $event, $id);
    }
}
