<?php

declare(strict_types=1);

namespace Tusk\Resource\Internal;

use Tusk\Resource\ResourceObject;

/** What a resource became in a worker: without the object itself, which may hold a connection there. */
final class Received extends ResourceObject
{
    /** The body as it came; meaningless unless `$isPlain`. */
    private mixed $plain = null;
    private bool $isPlain = false;

    /** A body in which there is no request and no resource. */
    public function receive(mixed $plain): void
    {
        $this->body = $this->plain = $plain;
        $this->isPlain = true;
    }

    /** Whether nobody has to look for requests in the body: it is still what came, or equal to it. */
    public function isPlain(): bool
    {
        return $this->isPlain && $this->body === $this->plain;
    }
}
