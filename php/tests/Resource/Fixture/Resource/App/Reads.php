<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Reads extends Logged
{
    #[Embed('u', '/user?id=3')]
    #[Embed('t', '/tag')]
    public function onGet(): static
    {
        $this->ran();
        $user = $this->embedded('u');
        $this['name'] = $user['name'];
        $this['code'] = $user->code;

        return $this;
    }
}
