<?php

declare(strict_types=1);

namespace Tusk\Bridge\Bear;

use BEAR\Resource\ResourceInterface;
use Tusk\Resource\ResourceObject;

/**
 * The answer of a BEAR resource, with the requests of its body as requests of ours.
 *
 * @internal
 */
final class BearResource extends ResourceObject
{
    public function __construct(private readonly ResourceInterface $resource) {}

    public function onGet(): static
    {
        $uri = $this->uri() ?? throw new \LogicException('made by a request');
        $answer = Bodies::request($this->resource, $uri)();
        $this->code = $answer->code;
        foreach ($answer->headers as $name => $value) {
            $this->headers[(string) $name] = is_scalar($value) ? (string) $value : '';
        }
        $this->body = (new Bodies($this->client(), $this->resource))->ours($answer->body);

        return $this;
    }
}
