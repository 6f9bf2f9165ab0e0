<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Seen extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this->view = '<b>own</b>';
        $this->headers['Content-Type'] = 'text/html';

        return $this;
    }
}
