<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class ShowsBack extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this['back'] = $this->client()->get->uri('app://self/shows');

        return $this;
    }
}
