<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Link;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;

/** The links of a result, without the result itself: that holds the client, which holds this. */
final readonly class Followed
{
    /**
     * @param class-string                   $class
     * @param list<Link>                     $links
     * @param \WeakReference<ResourceObject> $result
     * @param array<array-key, mixed>        $body   as it came, without requests
     */
    private function __construct(
        public string $class,
        public Uri $uri,
        public array $links,
        private \WeakReference $result,
        private array $body,
    ) {}

    /** @return self|class-string|null only the class that made it where it has no links; null for an object that no request made */
    public static function of(ResourceObject $result, Handlers $handlers): self|string|null
    {
        $made = Binding::made($result);
        if ($made === null) {
            return null;
        }
        [$class, $method, $uri] = $made;
        $links = $handlers->of($class, $method)->links;

        return $links === [] ? $class : new self($class, $uri, $links, \WeakReference::create($result), self::values($result));
    }

    /** @return array<array-key, mixed> what fills the links: of the result as it is now, or as it came where nobody has it any more */
    public function body(): array
    {
        $result = $this->result->get();

        return $result === null ? $this->body : self::values($result);
    }

    /** @return array<array-key, mixed> */
    private static function values(ResourceObject $result): array
    {
        return \is_array($result->body) ? array_filter($result->body, static fn (mixed $value): bool => !$value instanceof Request) : [];
    }
}
