<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Adapter;
use Tusk\Resource\Method;
use Tusk\Resource\NamespaceAdapter;
use Tusk\Resource\ResourceObject;

/** Where requests of one method and path lead, whatever their query. */
final readonly class Place
{
    /** @param class-string<ResourceObject> $class */
    public function __construct(
        public Adapter $adapter,
        public string $class,
        public Method $method,
        public Handler $handler,
    ) {}

    /** Whether it stays so: an adapter of the application's own is asked each time. */
    public function stays(): bool
    {
        return $this->adapter instanceof NamespaceAdapter;
    }
}
