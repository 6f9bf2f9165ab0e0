<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

/** Its body has itself in it, in two places. */
final class Itself extends Logged
{
    public function onGet(): static
    {
        $body = [];
        $body['me'] = &$body;
        $body['again'] = &$body;
        $this->body = $body;

        return $this;
    }
}
