<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Posting extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this->body = ['first' => $this->client()->get->uri('app://self/tag'), 'write' => $this->client()->post->uri('app://self/item?name=n'), 'again' => $this->client()->post->uri('app://self/item?name=n')];

        return $this;
    }
}
