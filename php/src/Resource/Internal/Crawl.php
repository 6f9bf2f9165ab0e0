<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Client;
use Tusk\Resource\DataLoader;
use Tusk\Resource\Exception\LinkException;
use Tusk\Resource\Link;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\UriTemplate;

/**
 * One walk over all links of a crawl key.
 *
 * The walk itself is depth first and in order, whatever the engine: that makes the result the same everywhere. What an
 * engine may do is to run ahead of it: each result tells which requests its links will need. Each URI is requested once.
 */
final class Crawl
{
    /** @var array<string, Request> by identity: all that were asked for */
    private array $requests = [];
    /** @var array<string, mixed> by identity: bodies with their crawled parts */
    private array $deep = [];
    /** @var array<string, mixed> by identity: bodies as they came, of what is being resolved; a link back gets that */
    private array $shallow = [];
    /** @var \WeakMap<ResourceObject, array<array-key, mixed>|\Throwable> rows with what loaders gave, or what one of them threw */
    private \WeakMap $loaded;
    /** @var list<string> identities of the requests around all of them: what leads to a resource by a link does not embed it */
    private array $path = [];

    public function __construct(
        private readonly Client $client,
        private readonly string $key,
    ) {
        $this->loaded = new \WeakMap();
    }

    public function walk(ResourceObject $root, Origin $origin): mixed
    {
        $this->path = $origin->path();
        $itself = new Request($this->client, $origin->method, $origin->uri);
        $this->requests[$itself->identity()] = $itself; // nobody needs to run that ahead
        $this->client->run($this->ahead($root), $this->ahead(...));

        return $this->resolve($itself->identity(), $root);
    }

    private function resolve(string $identity, ResourceObject $resource): mixed
    {
        $body = $resource->body;
        $origin = Binding::origin($resource);
        if ($origin === null || $resource->code >= 400 || !\is_array($body)) {
            return $body;
        }
        $this->shallow[$identity] = $body;
        $rows = $this->rows($resource, $origin);
        foreach ($rows as $i => $row) {
            if (!\is_array($row)) {
                continue;
            }
            foreach ($this->links($origin, false) as $link) {
                $row[$link->rel] = $this->follow($this->request($link, $row, $origin));
            }
            $rows[$i] = $row;
        }
        unset($this->shallow[$identity]);

        return array_is_list($body) ? $rows : $rows[0];
    }

    private function follow(Request $request): mixed
    {
        $identity = $request->identity();
        if (\array_key_exists($identity, $this->shallow)) {
            return $this->shallow[$identity];
        }
        if (!\array_key_exists($identity, $this->deep)) {
            $this->deep[$identity] = $this->resolve($identity, $this->client->obtain($request));
        }

        return $this->deep[$identity];
    }

    /**
     * What the links of a result need and nobody has asked for yet. What fails here fails again, in its order, in the walk.
     *
     * @return list<Request>
     */
    private function ahead(ResourceObject $resource): array
    {
        $origin = Binding::origin($resource);
        if ($origin === null || $resource->code >= 400 || !\is_array($resource->body)) {
            return [];
        }
        $new = [];
        try {
            $links = self::independent($this->links($origin, false));
            foreach ($this->rows($resource, $origin) as $row) {
                if (!\is_array($row)) {
                    continue;
                }
                foreach ($links as $link) {
                    $known = \count($this->requests);
                    $request = $this->request($link, $row, $origin);
                    if (\count($this->requests) > $known) {
                        $new[] = $request;
                    }
                }
            }
        } catch (\Throwable) {
        }

        return $new;
    }

    /** @param array<array-key, mixed> $row */
    private function request(Link $link, array $row, Origin $origin): Request
    {
        $request = Linker::request($this->client, $link, $row, $origin, $this->path);
        $known = $this->requests[$request->identity()] ?? null;
        if ($known === null && \count($this->requests) > $this->client->application->maxCrawl) {
            throw LinkException::crawl($this->key, $this->client->application->maxCrawl);
        }

        return $this->requests[$request->identity()] = $known ?? $request;
    }

    /** @return list<Link> */
    private function links(Origin $origin, bool $withLoader): array
    {
        $links = $this->client->application->handlers->of($origin->class, $origin->method)->links;

        return array_values(array_filter($links, fn (Link $link): bool => $link->crawl === $this->key && ($link->dataLoader !== null) === $withLoader));
    }

    /**
     * Without those whose template needs what an earlier link puts into the row.
     *
     * @param list<Link> $links
     *
     * @return list<Link>
     */
    private static function independent(array $links): array
    {
        $rels = $independent = [];
        foreach ($links as $link) {
            if (array_intersect(UriTemplate::variables($link->href), $rels) === []) {
                $independent[] = $link;
            }
            $rels[] = $link->rel;
        }

        return $independent;
    }

    /**
     * Of a list its members, else the body alone; with the values of loaders, which are called once for each resource.
     *
     * @return array<array-key, mixed>
     */
    private function rows(ResourceObject $resource, Origin $origin): array
    {
        if (!isset($this->loaded[$resource])) {
            try {
                $this->loaded[$resource] = $this->load($resource, $origin);
            } catch (\Throwable $e) {
                $this->loaded[$resource] = $e;
            }
        }
        $rows = $this->loaded[$resource];

        return \is_array($rows) ? $rows : throw $rows;
    }

    /** @return array<array-key, mixed> */
    private function load(ResourceObject $resource, Origin $origin): array
    {
        $body = \is_array($resource->body) ? $resource->body : [];
        $rows = array_is_list($body) ? $body : [$body];
        foreach ($this->links($origin, true) as $link) {
            if ($link->dataLoader === null) {
                continue;
            }
            $given = array_filter($rows, \is_array(...));
            /** @var array<array-key, mixed> $values a list, if it keeps its promise */
            $values = $this->loader($link->dataLoader)->load(array_values($given));
            if (\count($values) !== \count($given)) {
                throw LinkException::loader($link->dataLoader, \count($given), \count($values));
            }
            if (!array_is_list($values)) { // by id, most likely: each row would have another row's
                throw LinkException::order($link->dataLoader);
            }
            foreach (array_keys($given) as $n => $i) {
                $rows[$i] = array_replace($given[$i], [$link->rel => $values[$n]]);
            }
        }

        return $rows;
    }

    /** @param class-string $class */
    private function loader(string $class): DataLoader
    {
        $loader = $this->client->application->make($class);

        return $loader instanceof DataLoader ? $loader : throw LinkException::noLoader($class);
    }
}
