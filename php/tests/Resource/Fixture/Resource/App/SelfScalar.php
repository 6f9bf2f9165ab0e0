<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class SelfScalar extends Logged
{
    #[Embed('_self', '/scalar')]
    public function onGet(): static
    {
        return $this;
    }
}
