<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Patient extends Logged
{
    #[Embed('a', '/endless?name=a')]
    #[Embed('b', '/endless?name=b')]
    #[Embed('c', '/tag')]
    public function onGet(): static
    {
        $this->ran();

        return $this;
    }
}
