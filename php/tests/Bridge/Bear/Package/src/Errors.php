<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\Annotation\Embed;
use BEAR\Resource\ResourceObject;

class Errors extends ResourceObject
{
    #[Embed(rel: 't', src: '/tag')]
    #[Embed(rel: 'first', src: '/fails?which=first&after=20000')]
    #[Embed(rel: 'second', src: '/fails?which=second')]
    public function onGet(): static
    {
        return $this;
    }
}
