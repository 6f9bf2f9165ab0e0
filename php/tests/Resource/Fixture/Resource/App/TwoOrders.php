<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class TwoOrders extends Logged
{
    #[Embed('a', '/echoing?limit=1&q=x')]
    #[Embed('b', '/echoing?q=x&limit=1')]
    public function onGet(): static
    {
        $this->ran();

        return $this;
    }
}
