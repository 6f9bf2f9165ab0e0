<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\Annotation\Embed;
use BEAR\Resource\ResourceObject;

class Where extends ResourceObject
{
    #[Embed(rel: 'process', src: '/process')]
    public function onGet(): static
    {
        $this->body += ['own' => 1];

        return $this;
    }
}
