<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\ResourceObject;

class Tag extends ResourceObject
{
    public function onGet(): static
    {
        $this->body = ['a', 'b'];

        return $this;
    }
}
