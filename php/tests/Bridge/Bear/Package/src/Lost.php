<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\Annotation\Embed;
use BEAR\Resource\ResourceObject;

class Lost extends ResourceObject
{
    #[Embed(rel: 'x', src: '/nowhere')]
    public function onGet(): static
    {
        return $this;
    }
}
