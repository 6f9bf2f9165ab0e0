<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Nested extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this->body = ['rows' => [['id' => 1, 'user' => $this->client()->get->uri('app://self/user?id=1')], ['id' => 2, 'user' => $this->client()->get->uri('app://self/user?id=2')]]];

        return $this;
    }
}
