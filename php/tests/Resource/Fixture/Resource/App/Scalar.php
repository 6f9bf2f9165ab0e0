<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Scalar extends Logged
{
    public function onGet(): string
    {
        $this->ran();

        return 'hello';
    }
}
