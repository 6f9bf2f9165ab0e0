<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Asks extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this['of'] = $this->client()->get('app://self/asks-back')['of'];

        return $this;
    }
}
