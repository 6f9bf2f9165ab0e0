<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\ResourceObject;
use Tusk\Tests\Resource\Fixture\Logged;

final class Returns extends Logged
{
    public function onGet(): ResourceObject
    {
        return $this->client()->get('app://self/user?id=9');
    }
}
