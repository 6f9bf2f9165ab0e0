<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class LatePage extends Logged
{
    #[Embed('changes', '/changes-late')]
    public function onGet(): static
    {
        $this->ran();

        return $this;
    }
}
