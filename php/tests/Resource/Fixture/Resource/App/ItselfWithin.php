<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class ItselfWithin extends Logged
{
    #[Embed('within', '/itself')]
    public function onGet(): static
    {
        return $this;
    }
}
