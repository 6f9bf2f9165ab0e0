<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

use Tusk\Resource\ResourceObject;

/** A resource that tells when it ran: "user", "crawl/a". */
abstract class Logged extends ResourceObject
{
    protected function ran(): void
    {
        Log::add(ltrim($this->uri()->path ?? '', '/'));
    }
}
