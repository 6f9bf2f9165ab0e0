<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Exception\CannotCrossException;
use Tusk\Resource\Exception\EngineException;
use Tusk\Resource\Method;
use Tusk\Resource\Uri;

/** What requests to workers have alike, but for query and ancestors: a worker knows them again by one text. */
final readonly class Head
{
    /** By which a worker finds the application. */
    public string $served;

    private function __construct(
        public int $server,
        public string $plan,
        public string $factory,
        public string $identity,
        public Method $method,
        public string $scheme,
        public string $host,
        public string $path,
        public string $links,
        public ?Place $place,
    ) {
        $this->served = "$server $plan";
    }

    /**
     * The call in a worker, but for its last argument, the ancestors.
     *
     * @param string $links what the links of the request add to its identity
     *
     * @return list<mixed>
     *
     * @throws CannotCrossException
     */
    public static function job(string $prefix, Method $method, Uri $uri, string $links): array
    {
        return [Worker::class, 'run', self::text($prefix, $method, $uri, $links), Crossing::values($uri->query, '$query', $uri)];
    }

    /**
     * The part that all requests of an application share.
     *
     * @param int    $server of Worker::number(), which has one application
     * @param string $plan   of Plan::text(): how that runs what its methods read
     */
    public static function prefix(int $server, string $plan, string $factory, string $identity): string
    {
        return "$server\0$plan\0" . \strlen($factory) . "\0" . \strlen($identity) . "\0$factory$identity";
    }

    /** @param string $links what the links of the request add to its identity; they are followed where it came from */
    public static function text(string $prefix, Method $method, Uri $uri, string $links): string
    {
        return "$prefix$method->value\0$uri->scheme\0$uri->host\0$uri->path\0$links";
    }

    /** @throws EngineException for a text that is none */
    public static function read(string $text): self
    {
        [$server, $plan, $factory, $identity, $rest] = explode("\0", $text, 5) + [1 => '', 2 => '', 3 => '', 4 => ''];
        $at = (int) $factory + (int) $identity;
        $parts = explode("\0", substr($rest, $at), 5);
        if (\count($parts) !== 5) {
            throw EngineException::malformed('head');
        }

        return new self(
            (int) $server,
            $plan,
            substr($rest, 0, (int) $factory),
            substr($rest, (int) $factory, (int) $identity),
            Method::from($parts[0]),
            $parts[1],
            $parts[2],
            $parts[3],
            $parts[4],
            null,
        );
    }

    /** @param array<array-key, mixed> $query */
    public function uri(array $query): Uri
    {
        return new Uri($this->scheme, $this->host, $this->path, $query);
    }

    /** With where it leads. */
    public function at(Place $place): self
    {
        return new self($this->server, $this->plan, $this->factory, $this->identity, $this->method, $this->scheme, $this->host, $this->path, $this->links, $place);
    }
}
