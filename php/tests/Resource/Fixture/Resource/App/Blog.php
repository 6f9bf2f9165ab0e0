<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Blog extends Logged
{
    #[Link('tags', '/tag')]
    public function onGet(int $id): static
    {
        $this->ran();
        $this->body = ['blog' => $id];

        return $this;
    }
}
