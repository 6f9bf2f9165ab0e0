<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Dies extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        posix_kill((int) getmypid(), SIGKILL);

        return $this;
    }
}
