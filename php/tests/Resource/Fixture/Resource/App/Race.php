<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Race extends Logged
{
    #[Embed('a', '/slow-parent?name=a&seconds=0.001')]
    #[Embed('b', '/slow?name=b&seconds=0.05')]
    public function onGet(): static
    {
        $this->ran();
        $this['x'] = 1;

        return $this;
    }
}
