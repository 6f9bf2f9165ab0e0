<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class ReadsShared extends Logged
{
    #[Embed('shared', '/echoing?q=shared')]
    public function onGet(): static
    {
        $this->ran();
        $this['read'] = $this->embedded('shared')['q'];

        return $this;
    }
}
