<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class HandMade extends Logged
{
    #[Embed('t', '/tag')]
    #[Link('next', '/n')]
    #[Link('prev', '/p{?page}')]
    public function onGet(int $page = 2): static
    {
        $this->ran();
        $this->body = ['_links' => ['next' => ['href' => '/by-hand']], 'page' => $page] + (array) $this->body;

        return $this;
    }
}
