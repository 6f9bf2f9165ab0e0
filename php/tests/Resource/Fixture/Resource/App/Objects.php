<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Objects extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this->body = ['ok' => 1, 'rows' => [['handle' => STDIN]]];

        return $this;
    }
}
