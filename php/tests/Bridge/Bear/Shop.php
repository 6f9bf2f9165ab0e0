<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear;

use BEAR\Resource\AbstractRequest;
use BEAR\Resource\AbstractUri;
use BEAR\Resource\InvokerInterface;
use BEAR\Resource\Request;
use BEAR\Resource\ResourceInterface;
use BEAR\Resource\ResourceObject;
use Tusk\Bridge\Bear\Bear;
use Tusk\Resource\Application;

/**
 * A small application in the manner of BEAR.Resource.
 *
 * @property-read ResourceInterface $get
 * @property-read ResourceInterface $post
 */
final class Shop implements ResourceInterface, InvokerInterface
{
    private string $method = 'get';

    public static function application(): Application
    {
        return Bear::application(new self(), 'Shop', 'test');
    }

    public function __get(string $name): self
    {
        $self = clone $this;
        $self->method = $name;

        return $self;
    }

    public function uri(string $uri): AbstractRequest
    {
        preg_match('~^(\w+)://(\w+)(/[\w-]*)(?:\?(.*))?$~', $uri, $m);
        parse_str($m[4] ?? '', $query);
        $resource = new class () extends ResourceObject {};
        $resource->uri = new AbstractUri($m[1] ?? '', $m[2] ?? '', $m[3] ?? '', $query);

        return new Request($this, $resource, $this->method, $query);
    }

    public function invoke(AbstractRequest $request): ResourceObject
    {
        $resource = clone $request->resourceObject;
        $resource->headers = ['X-Process' => getmypid()];
        $resource->code = $resource->uri->path === '/kept' ? 203 : 200;
        $resource->body = match ($resource->uri->path) {
            '/page' => [
                'user' => $this->uri('app://self/user?id=1'),
                'fails' => $request->query === [] ? 1 : $this->uri('app://self/fails?which=first'),
                'again' => $request->query === [] ? 2 : $this->uri('app://self/fails?which=second'),
                'where' => $this->uri('app://self/where'),
                'here' => $this->uri('http://elsewhere/where'),
                'wrote' => $this->__get('post')->uri('app://self/where'),
                'rows' => [['user' => $this->uri('app://self/user?id=2')]],
            ],
            '/parts' => [
                'kept' => $this->uri('app://self/kept'),
                'linked' => new Request($this, $this->uri('app://self/where')->resourceObject, 'get', [], [new \stdClass()]),
            ],
            '/kept' => ['tag' => $this->uri('app://self/tag'), 'deep' => [['user' => $this->uri('app://self/user?id=3')]]],
            '/user' => ['name' => 'user ' . (is_scalar($request->query['id'] ?? 0) ? $request->query['id'] ?? 0 : ''), 'tag' => $this->uri('app://self/tag')],
            '/tag' => ['a', 'b'],
            '/where' => getmypid(),
            '/fails' => throw new \DomainException(json_encode($request->query, JSON_THROW_ON_ERROR), 7),
            default => null,
        };

        return $resource;
    }
}
