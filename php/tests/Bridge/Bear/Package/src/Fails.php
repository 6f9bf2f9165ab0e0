<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\ResourceObject;

class Fails extends ResourceObject
{
    public function onGet(string $which, int $after = 0): static
    {
        usleep($after);
        throw new \DomainException($which, 7, new \LogicException('why'));
    }
}
