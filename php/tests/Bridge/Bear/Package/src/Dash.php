<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\Annotation\Embed;
use BEAR\Resource\Annotation\Link;
use BEAR\Resource\ResourceObject;

class Dash extends ResourceObject
{
    #[Embed(rel: 'u', src: '/user{?id}')]
    #[Embed(rel: 't', src: 'app://self/tag')]
    #[Link(rel: 'home', href: '/home?id={id}')]
    public function onGet(int $id): static
    {
        $this->code = 203;
        $this->headers['X-Page'] = 'dash';
        $this->body += ['id' => $id];

        return $this;
    }
}
