<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\Annotation\Embed;
use BEAR\Resource\ResourceObject;

class Kinds extends ResourceObject
{
    #[Embed(rel: 'text', src: '/value?k=text')]
    #[Embed(rel: 'float', src: '/value?k=float')]
    #[Embed(rel: 'null', src: '/value?k=null')]
    #[Embed(rel: 'empty', src: '/value?k=empty')]
    #[Embed(rel: 'keys', src: '/value?k=keys')]
    #[Embed(rel: 'missing', src: '/missing')]
    public function onGet(): static
    {
        $this->body += ['own' => ['b' => 1], 'y' => null];

        return $this;
    }
}
