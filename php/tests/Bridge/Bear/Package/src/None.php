<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\ResourceObject;

class None extends ResourceObject
{
    public function onGet(): static
    {
        throw new \RuntimeException('of the page itself', 3);
    }
}
