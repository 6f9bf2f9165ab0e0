<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Client;
use Tusk\Resource\Exception\LinkQueryException;
use Tusk\Resource\Exception\LinkRelException;
use Tusk\Resource\Link;
use Tusk\Resource\LinkType;
use Tusk\Resource\Method;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;
use Tusk\Resource\UriTemplate;

/** Follows the links of a request once its own result is there. */
final readonly class Linker
{
    public function __construct(private Client $client) {}

    /**
     * @param list<array{LinkType, string}> $steps applied in order
     *
     * @return ResourceObject a copy of the root with another body; the root itself when its code is an error
     */
    public function follow(ResourceObject $root, array $steps): ResourceObject
    {
        $origin = Binding::origin($root);
        if ($origin === null || $root->code >= 400) {
            return $root;
        }
        $current = clone $root;
        $current->view = null;
        foreach ($steps as [$type, $rel]) {
            if (!\is_array($current->body)) {
                throw LinkQueryException::body($origin->class, $current->body);
            }
            $current->body = match ($type) {
                LinkType::Self => $this->linked($current->body, $origin, $rel),
                LinkType::New => array_replace($current->body, [$rel => $this->linked($current->body, $origin, $rel)]),
                LinkType::Crawl => (new Crawl($this->client, $rel))->walk($current, $origin),
            };
        }

        return $current;
    }

    /** @param array<array-key, mixed> $body */
    private function linked(array $body, Origin $origin, string $rel): mixed
    {
        foreach ($this->client->application->handlers->of($origin->class, $origin->method)->links as $link) {
            if ($link->rel === $rel) {
                return $this->client->obtain(self::request($this->client, $link, $body, $origin, $origin->path()))->body;
            }
        }
        throw LinkRelException::unknown($rel, $origin->class);
    }

    /**
     * @param array<array-key, mixed> $body fills the template; a request in it is no value and does not run for it
     * @param list<string>            $path identities of the requests around the linked one
     */
    public static function request(Client $client, Link $link, array $body, Origin $origin, array $path): Request
    {
        return new Request($client, Method::Get, Uri::parse(self::expand($link, $body, $origin->uri)), $path);
    }

    /** @param array<array-key, mixed> $body */
    public static function expand(Link $link, array $body, Uri $around): string
    {
        $values = array_filter($body, static fn (mixed $value): bool => !$value instanceof Request);

        return UriTemplate::expand(Invoker::absolute($link->href, $around), $values);
    }
}
