<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\ResourceObject;
use Tusk\Tests\Resource\Fixture\Log;
use Tusk\Timer;

/** Waits until it is ended. */
final class Endless extends ResourceObject
{
    public function onGet(string $name): static
    {
        Log::add("begin $name");
        try {
            Timer::sleep(1e6);
        } finally {
            Log::add("$name ends");
        }

        return $this;
    }
}
