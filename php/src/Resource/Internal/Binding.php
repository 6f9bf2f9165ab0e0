<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Method;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;

/** Between a resource object and the request that made it; of that kind only to see what they keep to themselves. */
final class Binding extends Bound
{
    private function __construct() {}

    /** @param Origin|list<mixed> $origin itself, or the arguments of its constructor: of most that come from a worker nobody asks */
    public static function bind(ResourceObject $resource, Origin|array $origin): void
    {
        $resource->tuskOrigin = $origin;
    }

    /** Null for an object that no request made. */
    public static function origin(ResourceObject $resource): ?Origin
    {
        if (\is_array($resource->tuskOrigin)) {
            $resource->tuskOrigin = new Origin(...$resource->tuskOrigin); // @phpstan-ignore argument.type
        }

        return $resource->tuskOrigin;
    }

    /** The class that made it, where it is what this worker was asked for and nobody asked for its parts yet. */
    public static function untouched(ResourceObject $resource): ?string
    {
        $origin = $resource->tuskOrigin;

        return \is_array($origin) && \is_array($origin[2]) && \is_string($origin[0]) ? $origin[0] : null;
    }

    /**
     * Null for an object that no request made.
     *
     * @return array{class-string<ResourceObject>, Method, Uri}|null
     */
    public static function made(ResourceObject $resource): ?array
    {
        $origin = \is_array($resource->tuskOrigin) && $resource->tuskOrigin[2] instanceof Uri ? $resource->tuskOrigin : self::origin($resource);

        return $origin === null ? null : (\is_array($origin) ? [$origin[0], $origin[1], $origin[2]] : [$origin->class, $origin->method, $origin->uri]); // @phpstan-ignore return.type
    }
}
