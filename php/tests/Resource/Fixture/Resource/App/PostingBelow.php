<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class PostingBelow extends Logged
{
    #[Embed('below', '/posting')]
    public function onGet(): static
    {
        $this->ran();

        return $this;
    }
}
