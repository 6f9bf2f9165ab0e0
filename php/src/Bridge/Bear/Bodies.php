<?php

declare(strict_types=1);

namespace Tusk\Bridge\Bear;

use BEAR\Resource\AbstractRequest;
use BEAR\Resource\Request as BearRequest;
use BEAR\Resource\ResourceInterface;
use BEAR\Resource\ResourceObject as BearObject;
use Tusk\Resource\Client;
use Tusk\Resource\Request;
use Tusk\Resource\Uri;

/**
 * Turns the requests in a body from BEAR's into ours and back.
 *
 * @internal
 */
final readonly class Bodies
{
    public function __construct(
        private Client $client,
        private ResourceInterface $resource,
    ) {}

    /**
     * In a worker: GET requests without links become ours and run wherever there is room. Others run here and now, as
     * their links and methods are BEAR's business, and their bodies stand in their places.
     */
    public function ours(mixed $body): mixed
    {
        if ($body instanceof AbstractRequest) {
            return $this->movable($body) ?? $this->ours($body()->body);
        }
        if ($body instanceof BearObject) {
            return $this->ours($body->body);
        }

        return is_array($body) ? array_map($this->ours(...), $body) : $body;
    }

    /**
     * In the calling process: the same body, where each request that can run elsewhere is one that has its result.
     *
     * @param list<Request> $moved gets them, in the order of the keys
     */
    public function prepared(mixed $body, array &$moved): mixed
    {
        if ($body instanceof AbstractRequest) {
            $request = $this->movable($body);
            if ($request === null) {
                return $body;
            }
            $moved[] = $request;

            return new BearRequest(new Settled($request, $this), $body->resourceObject, BearRequest::GET, $body->query);
        }
        if (is_array($body)) {
            foreach ($body as $key => $member) {
                if (is_array($member) || $member instanceof AbstractRequest) {
                    $body[$key] = $this->prepared($member, $moved);
                }
            }
        }

        return $body;
    }

    /** A body that came back, with requests that BEAR can use. */
    public function theirs(mixed $body): mixed
    {
        if ($body instanceof Request) {
            $of = self::request($this->resource, $body->uri());

            return new BearRequest(new Settled($body, $this), $of->resourceObject, BearRequest::GET, $of->query);
        }

        return is_array($body) ? array_map($this->theirs(...), $body) : $body;
    }

    /** A lazy GET request of BEAR's. */
    public static function request(ResourceInterface $resource, Uri $uri): AbstractRequest
    {
        $get = $resource->get; // @phpstan-ignore property.notFound (BEAR's client has it by __get)
        $request = $get instanceof ResourceInterface ? $get->uri($uri->authority() . $uri->path) : throw new \LogicException('a client without get');
        $request->withQuery($uri->query);

        return $request;
    }

    private function movable(AbstractRequest $request): ?Request
    {
        $uri = $request->resourceObject->uri;
        $authority = "$uri->scheme://$uri->host";
        if ($request->links !== [] || strtolower($request->method) !== BearRequest::GET || !$this->client->application->serves($authority)) {
            return null;
        }

        return $this->client->request('get', $authority . $uri->path, $request->query);
    }
}
