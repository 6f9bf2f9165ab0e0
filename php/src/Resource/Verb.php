<?php

declare(strict_types=1);

namespace Tusk\Resource;

/** $client->get and its siblings. */
final readonly class Verb
{
    public function __construct(
        private Client $client,
        private Method $method,
    ) {}

    /**
     * A lazy request.
     *
     * @param array<array-key, mixed> $query wins over what stands in the URI
     */
    public function uri(string $uri, array $query = []): Request
    {
        return $this->client->request($this->method, $uri, $query);
    }
}
