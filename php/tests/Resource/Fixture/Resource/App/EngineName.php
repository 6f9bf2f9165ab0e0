<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class EngineName extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this->body = $this->client()->application->engine::class;

        return $this;
    }
}
