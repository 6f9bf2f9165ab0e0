<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Tag extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this->body = ['a', 'b'];

        return $this;
    }
}
