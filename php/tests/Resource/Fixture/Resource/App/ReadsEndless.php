<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Resource\ResourceObject;

final class ReadsEndless extends ResourceObject
{
    #[Embed('a', '/endless?name=a')]
    public function onGet(): static
    {
        $this['of'] = $this->embedded('a')['of'];

        return $this;
    }
}
