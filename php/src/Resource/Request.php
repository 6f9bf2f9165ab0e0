<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Exception\CannotCrossException;
use Tusk\Resource\Exception\EmbedException;
use Tusk\Resource\Internal\Head;
use Tusk\Resource\Internal\Linker;
use Tusk\Resource\Internal\Origin;
use Tusk\Resource\Internal\Tree;

/**
 * A request that runs when somebody uses it: called as a function (each time anew), cast to string, read as an array,
 * iterated, JSON-encoded, or asked for code, headers or body (these keep the result).
 *
 * @property-read int                   $code
 * @property-read array<string, string> $headers
 * @property-read mixed                 $body
 * @property-read Eager                 $eager
 *
 * @implements \ArrayAccess<array-key, mixed>
 * @implements \IteratorAggregate<array-key, mixed>
 */
final class Request implements \ArrayAccess, \Countable, \IteratorAggregate, \JsonSerializable, \Stringable
{
    /** @var list<array{LinkType, string}> in the order of their calls */
    private array $links = [];
    private ?ResourceObject $result = null;
    private ?\Throwable $failure = null;
    private ?string $identity = null;

    /**
     * @internal Client and #[Embed] make requests
     *
     * @param list<string> $ancestors identities of the requests around it, outermost first
     */
    public function __construct(
        public readonly Client $client,
        public readonly Method $method,
        private Uri $uri,
        public readonly array $ancestors = [],
    ) {}

    /**
     * @internal Lazy GET requests of one client, made side by side.
     *
     * @param array<string, Uri> $uris
     * @param list<string>       $ancestors
     *
     * @return array<string, self> under the same keys
     */
    public static function several(Client $client, array $uris, array $ancestors): array
    {
        $request = null;
        $requests = [];
        foreach ($uris as $key => $uri) {
            if ($request === null) {
                $request = new self($client, Method::Get, $uri, $ancestors);
            } else {
                $request = clone $request; // half as much work as a constructor
                $request->uri = $uri;
            }
            $request->identity = $uri->got();
            $requests[$key] = $request;
        }

        return $requests;
    }

    public function uri(): Uri
    {
        return $this->uri;
    }

    /** @return list<array{LinkType, string}> */
    public function links(): array
    {
        return $this->links;
    }

    /** Method, canonical URI and links: requests of equal identity have equal results. */
    public function identity(): string
    {
        return $this->identity ??= $this->links === [] && $this->method === Method::Get ? $this->uri->got() : Origin::identity($this->method, $this->uri, $this->linksText());
    }

    /** @internal What links add to its identity. */
    public function linksText(): string
    {
        return $this->links === [] ? '' : implode('', array_map(static fn (array $link): string => " {$link[0]->value}:$link[1]", $this->links));
    }

    /** @param array<array-key, mixed> $query instead of the present one */
    public function withQuery(array $query): self
    {
        return $this->changed($this->uri->withQuery($query));
    }

    /** @param array<array-key, mixed> $query wins over the present one */
    public function addQuery(array $query): self
    {
        return $this->changed($this->uri->withQuery(array_replace($this->uri->query, $query)));
    }

    /** The body becomes that of the linked resource. */
    public function linkSelf(string $rel): self
    {
        return $this->linked(LinkType::Self, $rel);
    }

    /** The body gets that of the linked resource under the relation's name. */
    public function linkNew(string $rel): self
    {
        return $this->linked(LinkType::New, $rel);
    }

    /** All links of that crawl key are walked, through all resources that they lead to. */
    public function linkCrawl(string $key): self
    {
        return $this->linked(LinkType::Crawl, $key);
    }

    /** The lazy request itself; ->eager->request() runs. */
    public function request(): self
    {
        return $this;
    }

    /** Runs it now, each time anew; nothing is kept. */
    public function __invoke(): ResourceObject
    {
        $this->guard();

        return $this->client->followed($this->perform());
    }

    /**
     * The result, from the first use on kept.
     *
     * @throws EmbedException it embeds itself, or is too deep
     * @throws \Throwable     what the resource threw; the next use tries again
     */
    public function result(): ResourceObject
    {
        if ($this->result !== null) {
            return $this->result;
        }
        if ($this->failure === null) {
            $this->guard();
            $this->client->settle($this);
        }

        return $this->take();
    }

    /**
     * As result(), but not below itself.
     *
     * @internal
     *
     * @param list<string> $path identities of the requests around it
     */
    public function enter(array $path): ResourceObject
    {
        if (in_array($this->identity ?? $this->identity(), $path, true)) {
            throw EmbedException::cycle($this->uri);
        }
        $this->client->place($this, $path);

        return $this->result ?? $this->result();
    }

    public function toString(): string
    {
        return $this->result()->toString();
    }

    /** Throws only what an error handler makes of its E_USER_ERROR, which a failure is; without one PHP ends. Use toString() where that matters. */
    public function __toString(): string
    {
        $text = '';
        try {
            $text = $this->toString();
        } catch (\Throwable $e) {
            // The @ hides that PHP 8.4 calls this deprecated, and nothing else: it never hides an E_USER_ERROR.
            @trigger_error(sprintf("%s\n%s", $e->getMessage(), $e->getTraceAsString()), E_USER_ERROR);
        }

        return $text;
    }

    public function __get(string $name): mixed
    {
        return match ($name) {
            'code' => $this->result()->code,
            'headers' => $this->result()->headers,
            'body' => $this->result()->body,
            'eager' => new Eager($this),
            default => throw new \LogicException("a request has no $name"),
        };
    }

    public function __isset(string $name): bool
    {
        return in_array($name, ['code', 'headers', 'body', 'eager'], true);
    }

    public function __set(string $name, mixed $value): void
    {
        throw new \LogicException('the result of a request is read only');
    }

    public function jsonSerialize(): mixed
    {
        return Tree::of($this->client, $this, $this->ancestors);
    }

    public function offsetExists(mixed $offset): bool
    {
        return isset($this->result()[$offset]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        return $this->result()[$offset];
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
        throw new \LogicException('the result of a request is read only');
    }

    public function offsetUnset(mixed $offset): void
    {
        throw new \LogicException('the result of a request is read only');
    }

    public function count(): int
    {
        return \count($this->result());
    }

    public function getIterator(): \Iterator
    {
        return $this->result()->getIterator();
    }

    // ---- for engines ----

    /** It has its result or its failure. */
    public function isDone(): bool
    {
        return $this->result !== null || $this->failure !== null;
    }

    /** An engine may run it: it has no outcome, and changes nothing. */
    public function isRunnable(): bool
    {
        return $this->result === null && $this->failure === null && ($this->method === Method::Get || $this->method->isSafe());
    }

    /** Its identity, where an engine may start it: it has no outcome, and does not embed itself. */
    public function startable(): ?string
    {
        if ($this->result !== null || $this->failure !== null || \count($this->ancestors) >= $this->client->application->maxDepth) {
            return null;
        }
        $identity = $this->identity ?? $this->identity();

        return in_array($identity, $this->ancestors, true) ? null : $identity;
    }

    /**
     * What a worker is told of it; its links are followed here.
     *
     * @param string $prefix of Head::prefix()
     *
     * @return non-empty-list<mixed>
     *
     * @throws CannotCrossException
     */
    public function job(string $prefix): array
    {
        $job = $this->links === [] && $this->method === Method::Get ? $this->uri->job($prefix) : Head::job($prefix, $this->method, $this->uri, $this->linksText());
        $job[] = $this->ancestors;

        return $job;
    }

    /**
     * Arguments of the constructor of Origin.
     *
     * @param class-string<ResourceObject> $class
     *
     * @return list<mixed>
     */
    public function origin(string $class): array
    {
        return [$class, $this->method, $this->uri, $this->client, $this->links === [] ? '' : $this->linksText(), $this->ancestors];
    }

    /** What an engine got for it. */
    public function settle(ResourceObject|\Throwable $outcome): void
    {
        if ($outcome instanceof ResourceObject) {
            $this->result = $outcome;
            $this->failure = null;
        } else {
            $this->result = null;
            $this->failure = $outcome;
        }
    }

    /** What it was settled with; null before. */
    public function outcome(): ResourceObject|\Throwable|null
    {
        return $this->result ?? $this->failure;
    }

    /**
     * Runs it and then its links, here and now; nothing is kept.
     *
     * @param (\Closure(self): ResourceObject)|null $bare runs the request without its links; null: in this process
     */
    public function perform(?\Closure $bare = null): ResourceObject
    {
        $result = $bare === null ? $this->client->application->invoker->invoke($this) : $bare($this);

        return $this->links === [] ? $result : (new Linker($this->client))->follow($result, $this->links);
    }

    private function guard(): void
    {
        if ($this->ancestors === []) {
            return; // around which there is nothing
        }
        if (in_array($this->identity ?? $this->identity(), $this->ancestors, true)) {
            throw EmbedException::cycle($this->uri);
        }
        if (\count($this->ancestors) >= $this->client->application->maxDepth) {
            throw EmbedException::depth($this->uri, $this->client->application->maxDepth);
        }
    }

    /** A failure is given once: who asks again runs it again. */
    private function take(): ResourceObject
    {
        $failure = $this->failure;
        if ($failure !== null) {
            $this->failure = null;
            throw $failure;
        }

        return $this->result ?? throw new \LogicException('an engine left a request without outcome');
    }

    private function linked(LinkType $type, string $rel): self
    {
        $this->links[] = [$type, $rel];

        return $this->changed($this->uri);
    }

    /** Another identity has another result. */
    private function changed(Uri $uri): self
    {
        $this->uri = $uri;
        if ($this->isDone()) {
            $this->client->collect([$this]);
        }
        $this->identity = $this->result = $this->failure = null;

        return $this;
    }
}
