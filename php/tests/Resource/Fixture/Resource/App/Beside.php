<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

/** Its first part reads what it embeds itself, while the second one is under way. */
final class Beside extends Logged
{
    #[Embed('reads', '/reads-quick')]
    #[Embed('slow', '/slow?name=slow&seconds=0.05')]
    public function onGet(): static
    {
        $this->ran();

        return $this;
    }
}
