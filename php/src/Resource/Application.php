<?php

declare(strict_types=1);

namespace Tusk\Resource;

use Tusk\Resource\Exception\ResourceNotFoundException;
use Tusk\Resource\Internal\Handlers;
use Tusk\Resource\Internal\Invoker;

/** The resources of a program and how they are run. One for the life of a process; it keeps nothing of a request. */
final class Application
{
    /** @internal */
    public readonly Invoker $invoker;
    /** @internal */
    public readonly Handlers $handlers;
    /** @internal identity() as one text */
    public readonly string $name;
    /** @var array<string, Adapter> by "scheme://host" */
    private readonly array $served;

    /**
     * @param string                                    $namespace "Shop": Shop\Resource\App\User serves app://self/user, Shop\Resource\Page\Index page://self/
     * @param \Closure(class-string): object|null $create    builds resource objects and data loaders; null: without arguments
     * @param array<string, Adapter>                    $adapters  further ones by "scheme://host"; they win over the two above
     * @param string                                    $context   "prod", "test": with namespace and directory it tells workers which application they serve
     * @param int                                       $maxDepth  embeds within embeds; more is an EmbedException
     * @param int                                       $maxCrawl  requests of one crawl; more is a LinkException
     * @param int                                       $maxRequests embedded requests in one render, each as often as it stands there; more is an EmbedException
     */
    public function __construct(
        public readonly string $namespace,
        public readonly Engine $engine = new Engine\Sequential(),
        public readonly Renderer $renderer = new JsonRenderer(),
        private readonly ?\Closure $create = null,
        private readonly array $adapters = [],
        public readonly string $context = '',
        public readonly string $directory = '',
        public readonly int $maxDepth = 64,
        public readonly int $maxCrawl = 10_000,
        public readonly int $maxRequests = 10_000,
    ) {
        foreach (['maxDepth' => $maxDepth, 'maxCrawl' => $maxCrawl, 'maxRequests' => $maxRequests] as $name => $limit) {
            if ($limit < 1) {
                throw new \ValueError("$name must be positive, $limit given");
            }
        }
        $this->served = $adapters + [
            'app://self' => new NamespaceAdapter("$namespace\\Resource\\App", $this->make(...)),
            'page://self' => new NamespaceAdapter("$namespace\\Resource\\Page", $this->make(...)),
        ];
        $this->name = implode("\0", $this->identity());
        $this->invoker = new Invoker($this);
        $this->handlers = new Handlers();
    }

    /** The same application, run by another engine. */
    public function withEngine(Engine $engine): self
    {
        return new self($this->namespace, $engine, $this->renderer, $this->create, $this->adapters, $this->context, $this->directory, $this->maxDepth, $this->maxCrawl, $this->maxRequests);
    }

    /** @return list<string> namespace, context and directory: workers serve one and refuse others */
    public function identity(): array
    {
        return [$this->namespace, $this->context, $this->directory];
    }

    /** @param string $authority "scheme://host" */
    public function serves(string $authority): bool
    {
        return isset($this->served[$authority]);
    }

    /** For one incoming request. */
    public function client(): Client
    {
        return new Client($this);
    }

    /**
     * @internal
     *
     * @param class-string $class
     */
    public function make(string $class): object
    {
        return $this->create === null ? new $class() : ($this->create)($class);
    }

    /** @internal */
    public function adapter(Uri $uri): Adapter
    {
        return $this->served[$uri->authority()] ?? throw ResourceNotFoundException::scheme($uri, array_keys($this->served));
    }
}
