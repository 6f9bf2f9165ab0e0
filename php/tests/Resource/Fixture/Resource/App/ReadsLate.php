<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;
use Tusk\Timer;

final class ReadsLate extends Logged
{
    #[Embed('tag', '/tag')]
    public function onGet(): static
    {
        Timer::sleep(0.002);
        $this['count'] = \count($this->embedded('tag'));

        return $this;
    }
}
