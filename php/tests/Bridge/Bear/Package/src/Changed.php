<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\Annotation\Embed;
use BEAR\Resource\ResourceObject;

class Changed extends ResourceObject
{
    #[Embed(rel: 'v', src: '/value?k=text')]
    #[Embed(rel: 'gone', src: '/fails?which=never')]
    public function onGet(): static
    {
        $this->body['v']->addQuery(['k' => 'changed']);
        unset($this->body['gone']);

        return $this;
    }
}
