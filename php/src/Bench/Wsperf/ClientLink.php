<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\WebSocket\Client;

/** To an agent in the server role. */
final readonly class ClientLink implements Link
{
    private Client $client;

    /** @throws \Tusk\Exception when it cannot be reached */
    public function __construct(private string $uri, ?string $token = null)
    {
        $this->client = new Client($uri, subprotocols: [Agent::SUBPROTOCOL], headers: $token === null ? [] : ['Authorization' => "Bearer $token"], maxMessageSize: 64 << 20);
    }

    public function name(): string
    {
        return $this->uri;
    }

    public function send(string $command): void
    {
        if ($this->client->isOpen()) {
            $this->client->send($command);
        }
    }

    public function take(float $seconds): ?string
    {
        return $this->client->receive($seconds);
    }

    public function isOpen(): bool
    {
        return $this->client->isOpen();
    }
}
