<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Crowd extends Logged
{
    #[Embed('e1', '/slow?name=e1&seconds=0.05')]
    #[Embed('e2', '/slow?name=e2&seconds=0.005')]
    #[Embed('e3', '/slow?name=e3&seconds=0.004')]
    #[Embed('e4', '/slow?name=e4&seconds=0.003')]
    #[Embed('e5', '/slow?name=e5&seconds=0.002')]
    #[Embed('e6', '/slow?name=e6&seconds=0.001')]
    public function onGet(): static
    {
        $this->ran();
        $this['x'] = 1;

        return $this;
    }
}
