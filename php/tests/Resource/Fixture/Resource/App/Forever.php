<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Forever extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        for ($i = 0; $this->code === 200; $i++) {
        }

        return $this;
    }
}
