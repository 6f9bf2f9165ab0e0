<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;
use Tusk\Timer;

final class Left extends Logged
{
    #[Embed('right', '/right')]
    public function onGet(): static
    {
        $this->ran();
        Timer::sleep(0.001);
        $this['of'] = $this->embedded('right')['of'];

        return $this;
    }
}
