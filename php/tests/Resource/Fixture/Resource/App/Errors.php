<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Errors extends Logged
{
    #[Embed('a', '/tag')]
    #[Embed('b', '/fails?message=second')]
    #[Embed('c', '/fails?message=third&code=8')]
    #[Embed('d', '/scalar')]
    public function onGet(): static
    {
        $this->ran();
        $this['x'] = 1;

        return $this;
    }
}
