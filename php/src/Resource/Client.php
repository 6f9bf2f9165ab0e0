<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Exception\EmbedException;
use Tusk\Resource\Exception\LinkException;
use Tusk\Resource\Exception\LinkRelException;
use Tusk\Resource\Exception\MethodNotAllowedException;
use Tusk\Resource\Exception\UriException;
use Tusk\Resource\Internal\Followed;
use Tusk\Resource\Internal\Linker;
use Tusk\Resource\Internal\Tree;

/**
 * The requests of one incoming request. Make one for each (Application::client() costs nothing): results and what waits
 * to run live here and MUST NOT be shared between two.
 *
 * @property-read Verb $get
 * @property-read Verb $head
 * @property-read Verb $post
 * @property-read Verb $put
 * @property-read Verb $patch
 * @property-read Verb $delete
 */
final class Client
{
    /** @var \WeakMap<Request, true> made elsewhere and not yet run; one that nobody has any more is gone */
    private ?\WeakMap $pending = null;
    /** @var \WeakMap<ResourceObject, true> whose bodies have what was embedded and not yet run; what a resource threw away is not there */
    private ?\WeakMap $embedding = null;
    /** @var \WeakMap<Request, true>|null that the engine has in the run at hand: who reads another one meanwhile has no part in them */
    private ?\WeakMap $begun = null;
    /** @var Followed|class-string|null of the last result; only its class where it has no links */
    private Followed|string|null $last = null;
    /** @var array<string, \Throwable> */
    private array $failures = [];
    /** Embedded requests in the render at hand, or in the last one. */
    private int $placed = 0;
    /** Of them and of those that nobody renders, how many an engine was told of before they were used. */
    private int $ahead = 0;
    /** Renders and uses of a request that are under way, one within the other. */
    private int $renders = 0;
    private int $uses = 0;
    /** The client whose this is, for the requests that a resource makes itself; null: it is one of its own. */
    private ?self $whole = null;
    /** @var list<string> identities of the requests around what it makes */
    private array $path = [];

    public function __construct(public readonly Application $application) {}

    public function __get(string $name): Verb
    {
        return new Verb($this, Method::tryFrom($name) ?? throw new \LogicException("a client has no $name"));
    }

    /** @param array<array-key, mixed> $query */
    public function get(string $uri, array $query = []): ResourceObject
    {
        return ($this->request(Method::Get, $uri, $query))();
    }

    /** @param array<array-key, mixed> $query */
    public function head(string $uri, array $query = []): ResourceObject
    {
        return ($this->request(Method::Head, $uri, $query))();
    }

    /** @param array<array-key, mixed> $query */
    public function post(string $uri, array $query = []): ResourceObject
    {
        return ($this->request(Method::Post, $uri, $query))();
    }

    /** @param array<array-key, mixed> $query */
    public function put(string $uri, array $query = []): ResourceObject
    {
        return ($this->request(Method::Put, $uri, $query))();
    }

    /** @param array<array-key, mixed> $query */
    public function patch(string $uri, array $query = []): ResourceObject
    {
        return ($this->request(Method::Patch, $uri, $query))();
    }

    /** @param array<array-key, mixed> $query */
    public function delete(string $uri, array $query = []): ResourceObject
    {
        return ($this->request(Method::Delete, $uri, $query))();
    }

    /**
     * A lazy request. What it names is looked for when it runs.
     *
     * @param array<array-key, mixed> $query wins over what stands in the URI
     *
     * @throws UriException              400: no URI
     * @throws MethodNotAllowedException 405: no such method at all
     */
    public function request(Method|string $method, string $uri, array $query = []): Request
    {
        return new Request($this->whole ?? $this, $method instanceof Method ? $method : Method::named($method), Uri::parse($uri, $query), $this->path);
    }

    /**
     * Follows a link of the last result with the link's own method. The result's body fills the template: as it is now, or as it came where
     * nobody has that result any more.
     *
     * @param array<array-key, mixed> $query fills the template together with the body, and is sent
     *
     * @throws LinkException    nothing ran yet
     * @throws LinkRelException the last result has no such link
     * @throws \Throwable       what the linked resource threw
     */
    public function href(string $rel, array $query = []): ResourceObject
    {
        $last = ($this->whole ?? $this)->last ?? throw LinkException::nothing($rel);
        if (\is_string($last)) {
            throw LinkRelException::unknown($rel, $last);
        }
        foreach ($last->links as $link) {
            if ($link->rel === $rel) {
                return ($this->request($link->method, Linker::expand($link, $query + $last->body(), $last->uri), $query))();
            }
        }
        throw LinkRelException::unknown($rel, $last->class);
    }

    /** @return array<string, \Throwable> by URI: all that failed when embeds last ran together; the first in declaration order was thrown */
    public function failures(): array
    {
        return ($this->whole ?? $this)->failures;
    }

    /** Embedded requests that the last render put in their places, each as often as it stands there; Application::$maxRequests at most. */
    public function rendered(): int
    {
        return ($this->whole ?? $this)->placed;
    }

    // ---- for resources ----

    /**
     * @internal This client, for the requests that a resource makes itself: what it asks for is below it, as what it embeds is, and ends where
     * it would come back.
     *
     * @param list<string> $path identities of the requests down to that resource
     */
    public function below(array $path): self
    {
        $below = new self($this->application);
        $below->whole = $this;
        $below->path = $path;

        return $below;
    }

    // ---- for renderers ----

    /** @internal Until leave(); one within another is part of it. */
    public function enter(): void
    {
        if ($this->renders++ === 0) {
            $this->placed = $this->ahead = 0;
        }
    }

    /** @internal */
    public function leave(): void
    {
        $this->renders--;
    }

    /**
     * @internal
     *
     * @param list<string> $path identities of the requests around it
     *
     * @throws EmbedException it is one too many
     */
    public function place(Request $request, array $path): void
    {
        if ($this->placed >= $this->application->maxRequests) {
            throw EmbedException::requests($request->uri(), $path, $this->application->maxRequests);
        }
        $this->placed++;
    }

    // ---- for requests ----

    /**
     * @internal
     *
     * @param list<Request> $requests that are in a body now
     */
    public function collect(array $requests): void
    {
        $this->pending ??= new \WeakMap();
        foreach ($requests as $request) {
            $this->pending[$request] = true;
        }
    }

    /** @internal The requests in its body, as it will be when one of them is needed. */
    public function collectOf(ResourceObject $resource): void
    {
        $this->embedding ??= new \WeakMap();
        $this->embedding[$resource] = true;
    }

    /** @internal Somebody needs this one: with it runs whatever else is pending. */
    public function settle(Request $needed): void
    {
        $outermost = $this->uses++ === 0;
        if ($outermost && $this->renders === 0) {
            $this->ahead = 0;
        }
        try {
            $batch = $this->batch($needed);
            if ($outermost) { // what a method reads is part of the run that it is in
                $this->failures = [];
            }
            $this->run($batch, $this->ready(...));
            if (!$needed->isDone()) {
                $needed->settle($needed->perform());
            }
        } finally {
            if (--$this->uses === 0) {
                $this->begun = null;
            }
        }
    }

    /** @return list<Request> with what is pending, as far as that may run ahead */
    private function batch(Request $needed): array
    {
        $batch = [];
        if ($this->mayRunAhead()) {
            foreach ($this->embedding ?? [] as $resource => $_) {
                $batch = $batch === [] ? Tree::runnable($resource->body) : [...$batch, ...Tree::runnable($resource->body)];
            }
            foreach ($this->pending ?? [] as $request => $_) {
                array_push($batch, ...Tree::runnable($request));
            }
        }
        $this->pending = $this->embedding = null;
        $batch = $this->begun === null ? $batch : array_values(array_filter($batch, fn (Request $request): bool => !isset($this->begun[$request])));
        if ($needed->isRunnable() && !\in_array($needed, $batch, true)) {
            array_unshift($batch, $needed);
        }
        $this->begin($batch);

        return $batch;
    }

    /** @return list<Request> what a result embeds, as far as that may run ahead */
    private function ready(ResourceObject $result): array
    {
        $ready = $this->mayRunAhead() ? Tree::runnable($result) : [];
        $this->begin($ready);

        return $ready;
    }

    /** @param list<Request> $requests */
    private function begin(array $requests): void
    {
        $this->ahead += \count($requests);
        $this->begun ??= new \WeakMap();
        foreach ($requests as $request) {
            $this->begun[$request] = true;
        }
    }

    /** No more than may be rendered: what is beyond runs when it is used. */
    private function mayRunAhead(): bool
    {
        return $this->ahead < $this->application->maxRequests;
    }

    /**
     * @internal
     *
     * @param list<Request>                           $requests that may run
     * @param \Closure(ResourceObject): list<Request> $next     what a result makes ready
     */
    public function run(array $requests, \Closure $next): void
    {
        $this->application->engine->settle($requests, $next, function (Request $request, \Throwable $e): void {
            $this->failures[(string) $request->uri()] = $e;
        });
    }

    /**
     * @internal A linked resource: others that are pending have no part in it
     *
     * @throws \Throwable what it threw
     */
    public function obtain(Request $request): ResourceObject
    {
        if (!$request->isDone()) {
            $this->run(Tree::runnable($request), static fn (ResourceObject $result): array => []);
        }
        $outcome = $request->outcome() ?? $request->perform();
        if ($outcome instanceof \Throwable) {
            throw $outcome;
        }
        $request->settle($outcome);

        return $outcome;
    }

    /** @internal Its links are those that href() follows. */
    public function followed(ResourceObject $result): ResourceObject
    {
        $this->last = Followed::of($result, $this->application->handlers);

        return $result;
    }
}
