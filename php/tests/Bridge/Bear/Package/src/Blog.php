<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\Annotation\Link;
use BEAR\Resource\ResourceObject;

class Blog extends ResourceObject
{
    #[Link(rel: 'author', href: 'app://self/user?id={id}', crawl: 'tree')]
    public function onGet(int $id): static
    {
        $this->body = ['id' => $id];

        return $this;
    }
}
