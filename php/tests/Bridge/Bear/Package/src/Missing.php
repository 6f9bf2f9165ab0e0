<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\ResourceObject;

class Missing extends ResourceObject
{
    public function onGet(): static
    {
        $this->code = 404;
        $this->headers['X-Child'] = 'stays here';
        $this->body = ['no' => 'such'];

        return $this;
    }
}
