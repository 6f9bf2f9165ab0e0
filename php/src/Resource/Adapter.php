<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Exception\ResourceNotFoundException;

/** Serves one scheme and host. */
interface Adapter
{
    /**
     * Tells the class without making an object of it: a request must not take a connection before it is dispatched.
     *
     * @return class-string<ResourceObject> of a class that is there; another one is answered as a fault of the adapter's, 500
     *
     * @throws ResourceNotFoundException
     */
    public function find(Uri $uri): string;

    /**
     * A new object for each call.
     *
     * @template T of ResourceObject
     *
     * @param class-string<T> $class
     *
     * @return T
     */
    public function create(string $class): ResourceObject;
}
