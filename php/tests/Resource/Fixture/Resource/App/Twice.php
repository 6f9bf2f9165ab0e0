<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Twice extends Logged
{
    #[Embed('a', '/user?id=1')]
    #[Embed('b', '/user?id=1')]
    #[Embed('t', '/tag')]
    public function onGet(): static
    {
        $this->ran();
        $this['x'] = 1;

        return $this;
    }
}
