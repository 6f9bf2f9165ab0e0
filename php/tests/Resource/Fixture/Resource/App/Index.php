<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Index extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this->body = ['at' => 'index'];

        return $this;
    }
}
