<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\Application;
use Tusk\Resource\Embed;
use Tusk\Resource\Exception\BadRequestException;
use Tusk\Resource\Exception\EmbedException;
use Tusk\Resource\Exception\LinkException;
use Tusk\Resource\Exception\MethodNotAllowedException;
use Tusk\Resource\Exception\ResourceNotFoundException;
use Tusk\Resource\Exception\UriException;
use Tusk\Resource\Method;
use Tusk\Resource\NamespaceAdapter;
use Tusk\Resource\Request;
use Tusk\Resource\ResourceObject;
use Tusk\Resource\Uri;
use Tusk\Resource\UriTemplate;

/** Calls the method of a resource class that a request names. */
final class Invoker
{
    /** @var array<string, Place> by method and URI; only what was found, so that strangers' paths take no memory */
    private array $places = [];

    public function __construct(private readonly Application $application) {}

    /** Runs the request itself, without its links. */
    public function invoke(Request $request): ResourceObject
    {
        $uri = $request->uri();

        $place = $this->find($request->method, $uri);

        return $this->answer($place, $uri->query, $request->origin($place->class));
    }

    /**
     * @throws ResourceNotFoundException
     * @throws MethodNotAllowedException
     */
    public function find(Method $method, Uri $uri): Place
    {
        $key = "$method->value $uri->scheme://$uri->host$uri->path";
        if (isset($this->places[$key])) {
            return $this->places[$key];
        }
        $adapter = $this->application->adapter($uri);
        $class = $adapter->find($uri);
        $place = new Place($adapter, $class, $method, $this->application->handlers->of($class, $method));

        return $place->stays() ? $this->places[$key] = $place : $place;
    }

    /**
     * Runs a request by its parts: a worker makes no object of them.
     *
     * @param array<array-key, mixed> $query
     * @param list<mixed>             $origin arguments of the constructor of Origin
     */
    public function answer(Place $place, array $query, array $origin): ResourceObject
    {
        $handler = $place->handler;
        $arguments = $handler->parameters->match($query);
        $resource = $place->adapter->create($place->class);
        Binding::bind($resource, $origin);
        $typed = $handler->embeds === [] ? null : $handler->parameters->typed($arguments);
        if ($typed !== null) { // what does not fit is refused by the call, before its embeds lead anywhere
            $arguments = $typed;
            $engine = $this->application->engine;
            if ($engine instanceof Foresees) {
                $engine->expect(\count($handler->embeds));
            }
            $this->embed($handler, $resource, $arguments);
        }
        $resource = $this->call($handler, $resource, $arguments);
        if ($place->method === Method::Head) {
            $resource->body = null;
        }

        return $resource;
    }

    /** @param array<string, mixed> $arguments */
    private function call(Handler $handler, ResourceObject $resource, array $arguments): ResourceObject
    {
        $method = $handler->method;
        try {
            $returned = $method->invokeArgs($resource, array_values($arguments)); // weak typing, which a call from here would not be
        } catch (\TypeError $e) {
            $of = "{$method->class}::{$method->name}(): Argument #";
            throw str_starts_with($e->getMessage(), $of) ? BadRequestException::type($e) : $e;
        }
        if ($returned === $resource) {
            return $resource;
        }
        if ($returned instanceof ResourceObject) {
            $origin = Binding::origin($resource);
            if (Binding::origin($returned) === null && $origin !== null) {
                Binding::bind($returned, $origin);
            }

            return $returned;
        }
        if ($handler->returns) {
            $resource->body = $returned;
        }

        return $resource;
    }

    /** @param array<string, mixed> $arguments */
    private function embed(Handler $handler, ResourceObject $resource, array $arguments): void
    {
        $origin = Binding::origin($resource) ?? throw new \LogicException('a resource without its request');
        $path = $origin->path(); // makes the text that the key is
        $key = Targets::key($arguments, $origin->uri);
        $known = $handler->targets->of($key);
        $body = $resource->body ?? [];
        if ($known !== [] && \is_array($body)) {
            $requests = Request::several($origin->client, $known, $path);
            $resource->body = $body === [] ? $requests : array_replace($body, $requests);
            $origin->client->collectOf($resource);

            return;
        }
        $targets = [];
        foreach ($handler->embeds as $embed) {
            $targets[$embed->rel] = $uri = $this->target($embed, $origin, $arguments);
            if (!\is_array($body)) {
                throw LinkException::body($origin->class, $embed->rel, $body);
            }
            $request = new Request($origin->client, Method::Get, $uri, $path);
            if ($embed->rel !== '_self') {
                $body[$embed->rel] = $request;
                continue;
            }
            $resource->body = $body;
            $origin->client->collectOf($resource); // with it runs what is pending
            $result = $request->result();
            $of = $result->body ?? [];
            if (!\is_array($of)) {
                throw LinkException::body($origin->class, $embed->rel, $of);
            }
            $body = array_replace($body, $of);
            $resource->code = $result->code;
        }
        $resource->body = $body;
        $origin->client->collectOf($resource);
        if (!isset($targets['_self']) && $this->remembers($targets)) {
            $handler->targets->keep($key, $targets);
        }
    }

    /**
     * @param array<string, mixed> $arguments
     *
     * @throws EmbedException it leads nowhere
     */
    private function target(Embed $embed, Origin $origin, array $arguments): Uri
    {
        try {
            $uri = Uri::parse(UriTemplate::expand(self::absolute($embed->src, $origin->uri), $arguments));
            $this->application->adapter($uri)->find($uri);

            return $uri;
        } catch (UriException | ResourceNotFoundException $e) {
            throw EmbedException::source($embed, $e);
        }
    }

    /**
     * Whether what was found there stays: an adapter of the application's own is asked each time.
     *
     * @param array<string, Uri> $targets
     */
    private function remembers(array $targets): bool
    {
        foreach ($targets as $uri) {
            if (!$this->application->adapter($uri) instanceof NamespaceAdapter) {
                return false;
            }
        }

        return true;
    }

    /** What begins with "/" is of the same scheme and host. */
    public static function absolute(string $template, Uri $around): string
    {
        return str_starts_with($template, '/') ? $around->authority() . $template : $template;
    }
}
