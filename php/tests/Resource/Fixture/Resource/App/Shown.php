<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

/** One request stands in two places, an equal one of its own in two more. */
final class Shown extends Logged
{
    #[Embed('a', '/user?id=1')]
    #[Embed('b', '/user?id=1')]
    public function onGet(): static
    {
        $this->ran();
        $this['again'] = ['a' => $this->embedded('a'), 'b' => $this->embedded('b')];

        return $this;
    }
}
