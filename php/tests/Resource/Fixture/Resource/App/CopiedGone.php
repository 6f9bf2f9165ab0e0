<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class CopiedGone extends Logged
{
    #[Embed('_self', '/gone')]
    public function onGet(): static
    {
        $this->ran();
        $this['x'] = $this->code;

        return $this;
    }
}
