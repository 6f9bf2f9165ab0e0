<?php

// Stand-ins for BEAR.Resource and Ray.Di, with as much of their public interface as the bridge uses. The packages
// themselves were not there when this was written.

declare(strict_types=1);

namespace BEAR\Resource {
    class AbstractUri
    {
        /** @param array<array-key, mixed> $query */
        public function __construct(
            public string $scheme,
            public string $host,
            public string $path,
            public array $query = [],
        ) {}
    }

    abstract class ResourceObject
    {
        public AbstractUri $uri;
        public int $code = 200;
        /** @var array<array-key, mixed> */
        public array $headers = [];
        public mixed $body = null;
    }

    interface InvokerInterface
    {
        public function invoke(AbstractRequest $request): ResourceObject;
    }

    interface RenderInterface
    {
        /** @return string */
        public function render(ResourceObject $ro);
    }

    abstract class AbstractRequest implements \JsonSerializable
    {
        public const GET = 'get';
        public const POST = 'post';
        private ?ResourceObject $result = null;
        public AbstractRequest $eager;

        /**
         * @param array<array-key, mixed> $query
         * @param list<object>            $links
         */
        public function __construct(
            private InvokerInterface $invoker,
            public ResourceObject $resourceObject,
            public string $method = self::GET,
            public array $query = [],
            public array $links = [],
        ) {
            $this->eager = $this;
        }

        /** @param array<array-key, mixed> $query */
        public function withQuery(array $query): static
        {
            $this->query = $query;

            return $this;
        }

        public function request(): ResourceObject
        {
            return $this();
        }

        public function __invoke(): ResourceObject
        {
            return $this->invoker->invoke($this);
        }

        public function jsonSerialize(): mixed
        {
            $this->result ??= $this();

            return $this->result->body;
        }
    }

    final class Request extends AbstractRequest {}

    /**
     * @property-read ResourceInterface $get
     * @property-read ResourceInterface $post
     */
    interface ResourceInterface
    {
        public function uri(string $uri): AbstractRequest;
    }
}

namespace Ray\Di {
    /** @template T of object */
    interface ProviderInterface
    {
        /** @return T */
        public function get();
    }

    final class Scope
    {
        public const SINGLETON = 'Singleton';
    }

    final class Bind
    {
        /** @param array<string, list<mixed>> $log */
        public function __construct(public array &$log, private string $interface) {}

        public function annotatedWith(string $name): self
        {
            $this->interface .= "-$name";

            return $this;
        }

        public function to(string $class): self
        {
            $this->log[$this->interface] = ['to', $class];

            return $this;
        }

        public function toProvider(string $class): self
        {
            $this->log[$this->interface] = ['provider', $class];

            return $this;
        }

        public function toInstance(mixed $value): self
        {
            $this->log[$this->interface] = ['instance', $value];

            return $this;
        }

        public function in(string $scope): self
        {
            $this->log[$this->interface][] = $scope;

            return $this;
        }
    }

    abstract class AbstractModule
    {
        /** @var array<string, list<mixed>> */
        public array $bindings = [];
        /** @var list<array{string, string}> */
        public array $renamed = [];

        public function __construct(protected ?self $lastModule = null)
        {
            $this->configure();
        }

        abstract protected function configure(): void;

        public function rename(string $interface, string $newName): void
        {
            $this->renamed[] = [$interface, $newName];
        }

        protected function bind(string $interface = ''): Bind
        {
            return new Bind($this->bindings, $interface);
        }
    }
}

namespace Ray\Di\Di {
    #[\Attribute(\Attribute::TARGET_PARAMETER)]
    final readonly class Named
    {
        public function __construct(public string $value) {}
    }
}
