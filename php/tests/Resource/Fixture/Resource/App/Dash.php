<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Dash extends Logged
{
    #[Embed('u', 'app://self/user{?id}')]
    #[Embed('t', '/tag')]
    #[Link('home', '/home?id={id}')]
    public function onGet(int $id): static
    {
        $this->ran();
        $this['id'] = $id;

        return $this;
    }
}
