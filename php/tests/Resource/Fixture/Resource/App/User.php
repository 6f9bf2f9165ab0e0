<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class User extends Logged
{
    #[Embed('tag', '/tag')]
    public function onGet(int $id): static
    {
        $this->ran();
        $this['name'] = "n$id";

        return $this;
    }
}
