<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\ResourceObject;

class Process extends ResourceObject
{
    public function onGet(): static
    {
        $this->body = ['pid' => getmypid()];

        return $this;
    }
}
