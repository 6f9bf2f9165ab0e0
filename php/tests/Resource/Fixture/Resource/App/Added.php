<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Added extends Logged
{
    #[Embed('u', '/user?id=1')]
    public function onGet(): static
    {
        $this->ran();
        $this->body += ['x' => 1]; // @phpstan-ignore assignOp.invalid (null is not: the embed is there)

        return $this;
    }
}
