<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Keys extends Logged
{
    #[Embed('one', '/tag')]
    #[Embed('two', '/scalar')]
    public function onGet(): static
    {
        $this->ran();
        $this['keys'] = array_keys((array) $this->body);

        return $this;
    }
}
