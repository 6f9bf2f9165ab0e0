<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Twigs extends Logged
{
    #[Embed('l', '/twigs?at={at}l')]
    #[Embed('r', '/twigs?at={at}r')]
    public function onGet(string $at): static
    {
        $this->ran();

        return $this;
    }
}
