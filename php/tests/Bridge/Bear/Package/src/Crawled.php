<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\Annotation\Embed;
use BEAR\Resource\ResourceObject;

class Crawled extends ResourceObject
{
    #[Embed(rel: 'blog', src: '/blog?id=3')]
    #[Embed(rel: 't', src: '/tag')]
    public function onGet(): static
    {
        $this->body['blog']->linkCrawl('tree');

        return $this;
    }
}
