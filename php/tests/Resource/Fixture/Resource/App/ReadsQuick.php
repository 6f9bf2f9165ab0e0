<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class ReadsQuick extends Logged
{
    #[Embed('quick', '/slow?name=quick&seconds=0.0001')]
    public function onGet(): static
    {
        $this['read'] = $this->embedded('quick')['name'];
        $this->ran();

        return $this;
    }
}
