<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Client;
use Tusk\Resource\Exception\EngineException;
use Tusk\Resource\LinkType;
use Tusk\Resource\Method;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;

/** Unpacks what came from a worker, and believes nothing of its form. */
final readonly class Parcel
{
    public const FIELDS = ['code', 'headers', 'body', 'class', 'view', 'requests', 'resources', 'origin', 'results'];
    /** So many of them when the others have nothing in them, which is most often. */
    public const PLAIN = 4;

    /** @param array<array-key, mixed> $fields */
    private function __construct(private array $fields) {}

    /**
     * What a worker gave for that request.
     *
     * @throws EngineException when it is none
     */
    public static function answer(mixed $given, Request $asked): ResourceObject
    {
        if (\is_array($given) && \count($given) === self::PLAIN) {
            return self::plain($given, $asked);
        }
        $self = self::named($given);
        $resource = new Received();
        $results = new Unnumbered($self->array('results'), $asked->client);
        if ($self->fields['origin'] !== null) { // another resource than was asked for
            self::fill($resource, $given, $asked->client, $results);
        } else {
            $self->into($resource, $asked->origin(self::known($self->fields['class'] ?? null)), $asked->client, $results);
        }

        return $resource;
    }

    /** @throws EngineException when it is none */
    public static function fill(Received $resource, mixed $given, Client $client, Unnumbered $results): void
    {
        $self = self::named($given);
        $of = self::of($self->fields['origin']);
        $self->into($resource, new Origin(self::known($self->fields['class'] ?? null), $of->method(), $of->uri(), $client, $of->string('links'), $of->strings('ancestors')), $client, $results);
    }

    /** @param Origin|list<mixed> $origin */
    private function into(Received $resource, Origin|array $origin, Client $client, Unnumbered $results): void
    {
        Binding::bind($resource, $origin);
        $code = $this->fields['code'] ?? null;
        $view = $this->fields['view'] ?? null;
        $resource->code = \is_int($code) ? $code : throw EngineException::malformed('code');
        $resource->view = $view === null || \is_string($view) ? $view : throw EngineException::malformed('view');
        $resource->headers = self::headers($this->fields['headers'] ?? null);
        $resource->body = $this->body($client, $results);
    }

    /**
     * The short form in one go: of a page it is there for every embed, when all of them wait for this process.
     *
     * @param array<array-key, mixed> $given
     *
     * @throws EngineException
     */
    private static function plain(array $given, Request $asked): ResourceObject
    {
        $code = $given[0] ?? null;
        $headers = $given[1] ?? null;
        $class = $given[3] ?? null;
        $resource = new Received();
        $resource->code = \is_int($code) ? $code : throw EngineException::malformed('code');
        if ($headers !== []) {
            $resource->headers = self::headers($headers);
        }
        $resource->receive($given[2] ?? null);
        Binding::bind($resource, $asked->origin(self::known($class)));

        return $resource;
    }

    /**
     * @return class-string<ResourceObject>
     *
     * @throws EngineException
     */
    private static function known(mixed $class): string
    {
        return \is_string($class) && is_subclass_of($class, ResourceObject::class) ? $class : throw EngineException::malformed('class');
    }

    /**
     * @return array<string, string>
     *
     * @throws EngineException
     */
    private static function headers(mixed $given): array
    {
        $headers = [];
        foreach (\is_array($given) ? $given : throw EngineException::malformed('headers') as $name => $value) {
            $headers[(string) $name] = \is_scalar($value) ? (string) $value : throw EngineException::malformed('headers');
        }

        return $headers;
    }

    private static function named(mixed $given): self
    {
        return \is_array($given) && \count($given) === \count(self::FIELDS) ? new self(array_combine(self::FIELDS, $given)) : throw EngineException::malformed('it');
    }

    private static function of(mixed $given): self
    {
        return \is_array($given) ? new self($given) : throw EngineException::malformed('it');
    }

    private function body(Client $client, Unnumbered $results): mixed
    {
        $body = $this->fields['body'] ?? null;
        foreach ($this->array('requests') as $field) {
            $request = self::of($field);
            self::put($body, $request->array('place'), $request->request($client, $results));
        }
        foreach ($this->array('resources') as $field) {
            $of = self::of($field);
            $resource = new Received();
            self::fill($resource, $of->fields['resource'] ?? null, $client, $results);
            self::put($body, $of->array('place'), $resource);
        }

        return $body;
    }

    private function request(Client $client, Unnumbered $results): Request
    {
        $request = new Request($client, $this->method(), $this->uri(), $this->strings('ancestors'));
        self::link($request, $this->array('links'));
        if (($this->fields['result'] ?? null) !== null) {
            $request->settle($results->of($this->fields['result']));
        } else {
            $client->collect([$request]);
        }

        return $request;
    }

    /**
     * Gives a request the links that one had on the other side: they are part of its identity.
     *
     * @param array<array-key, mixed> $links
     *
     * @throws EngineException when they are none
     */
    public static function link(Request $request, array $links): void
    {
        foreach ($links as $field) {
            [$type, $rel] = \is_array($field) && array_is_list($field) && \count($field) === 2 ? $field : throw EngineException::malformed('links');
            $type = LinkType::tryFrom(\is_string($type) ? $type : '') ?? throw EngineException::malformed('links');
            $rel = \is_string($rel) ? $rel : throw EngineException::malformed('links');
            match ($type) {
                LinkType::Self => $request->linkSelf($rel),
                LinkType::New => $request->linkNew($rel),
                LinkType::Crawl => $request->linkCrawl($rel),
            };
        }
    }

    /** @param array<array-key, mixed> $place */
    private static function put(mixed &$body, array $place, Request|ResourceObject $value): void
    {
        $at = &$body;
        foreach ($place as $key) {
            if (!\is_array($at) || (!\is_int($key) && !\is_string($key))) {
                throw EngineException::malformed('place');
            }
            $at = &$at[$key];
        }
        $at = $value;
    }

    private function method(): Method
    {
        return Method::tryFrom($this->string('method')) ?? throw EngineException::malformed('method');
    }

    private function uri(): Uri
    {
        return Uri::parse($this->string('uri'))->withQuery($this->array('query'));
    }

    private function string(string $name): string
    {
        $value = $this->fields[$name] ?? null;

        return \is_string($value) ? $value : throw EngineException::malformed($name);
    }

    /** @return array<array-key, mixed> */
    private function array(string $name): array
    {
        $value = $this->fields[$name] ?? null;

        return \is_array($value) ? $value : throw EngineException::malformed($name);
    }

    /** @return list<string> */
    private function strings(string $name): array
    {
        return array_map(static fn (mixed $value): string => \is_string($value) ? $value : throw EngineException::malformed($name), array_values($this->array($name)));
    }
}
