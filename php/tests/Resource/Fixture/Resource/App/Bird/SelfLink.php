<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Bird;

use Tusk\Tests\Resource\Fixture\Logged;

final class SelfLink extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this->body = ['bird' => 'self'];

        return $this;
    }
}
