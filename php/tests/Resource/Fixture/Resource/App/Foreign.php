<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Foreign extends Logged
{
    #[Embed('page', 'page://self/')]
    #[Embed('t', '/tag')]
    public function onGet(): static
    {
        $this->ran();
        $this['x'] = 'a/b';

        return $this;
    }
}
