<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Five extends Logged
{
    #[Embed('a', '/user?id=7')]
    #[Embed('b', '/user?id=7')]
    #[Embed('c', '/user?id=7')]
    #[Embed('d', '/user?id=7')]
    #[Embed('e', '/user?id=7')]
    public function onGet(): static
    {
        $this->ran();
        $this['x'] = 1;

        return $this;
    }
}
