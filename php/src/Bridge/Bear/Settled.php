<?php

declare(strict_types=1);

namespace Tusk\Bridge\Bear;

use BEAR\Resource\AbstractRequest;
use BEAR\Resource\InvokerInterface;
use BEAR\Resource\ResourceObject as BearObject;
use Tusk\Resource\Request;

/**
 * Answers a BEAR request with what ran elsewhere, or throws what was thrown there.
 *
 * @internal
 */
final readonly class Settled implements InvokerInterface
{
    public function __construct(
        private Request $request,
        private Bodies $bodies,
    ) {}

    public function invoke(AbstractRequest $request): BearObject
    {
        $result = $this->request->result();
        $resource = clone $request->resourceObject;
        $resource->code = $result->code;
        $resource->headers = $result->headers;
        $resource->body = $this->bodies->theirs($result->body);

        return $resource;
    }
}
