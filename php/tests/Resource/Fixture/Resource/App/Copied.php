<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Copied extends Logged
{
    #[Embed('_self', '/user?id={id}')]
    public function onGet(int $id): static
    {
        $this->ran();
        $this['seen'] = array_keys((array) $this->body);

        return $this;
    }
}
