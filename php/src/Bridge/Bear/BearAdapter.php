<?php

declare(strict_types=1);

namespace Tusk\Bridge\Bear;

use BEAR\Resource\ResourceInterface;
use Tusk\Resource\Adapter;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;

/**
 * Hands requests on to BEAR.Resource, which knows what there is.
 *
 * @internal
 */
final readonly class BearAdapter implements Adapter
{
    public function __construct(private ResourceInterface $resource) {}

    public function find(Uri $uri): string
    {
        return BearResource::class;
    }

    public function create(string $class): ResourceObject
    {
        $resource = new BearResource($this->resource);

        return $resource instanceof $class ? $resource : throw new \LogicException("$class is not BEAR's");
    }
}
