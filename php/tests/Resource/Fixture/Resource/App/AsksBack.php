<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class AsksBack extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this['of'] = $this->client()->get->uri('app://self/asks')['of'];

        return $this;
    }
}
