<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class RingRead extends Logged
{
    #[Embed('ring', '/ring')]
    #[Embed('rang', '/rang')]
    public function onGet(): static
    {
        $this->ran();
        $this['code'] = $this->embedded('ring')->code;

        return $this;
    }
}
