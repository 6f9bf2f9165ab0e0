<?php

declare(strict_types=1);

namespace Tusk\Tests\Bridge\Bear\Package\Resource\App;

use BEAR\Resource\Annotation\Embed;
use BEAR\Resource\ResourceObject;

class User extends ResourceObject
{
    #[Embed(rel: 'tag', src: '/tag')]
    public function onGet(int $id): static
    {
        $this->body += ['name' => "n$id"];

        return $this;
    }
}
