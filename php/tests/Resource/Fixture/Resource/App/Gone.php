<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Gone extends Logged
{
    public function onGet(): static
    {
        $this->ran();
        $this->code = 404;
        $this->headers['X-Reason'] = 'gone';
        $this->body = ['error' => 'gone'];

        return $this;
    }
}
