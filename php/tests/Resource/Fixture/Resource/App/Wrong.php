<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Wrong extends Logged
{
    public mixed $body = 'text';

    #[Embed('t', '/tag')]
    public function onGet(): static
    {
        return $this;
    }
}
