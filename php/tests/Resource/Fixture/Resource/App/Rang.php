<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Rang extends Logged
{
    #[Embed('one', '/ring')]
    public function onGet(): static
    {
        $this->ran();
        $this['x'] = 2;

        return $this;
    }
}
