<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\Annotation\Embed;
use BEAR\Resource\ResourceObject;

class Own extends ResourceObject
{
    #[Embed(rel: '_self', src: '/missing')]
    #[Embed(rel: 't', src: '/tag')]
    public function onGet(): static
    {
        $this->body += ['own' => 1];

        return $this;
    }
}
