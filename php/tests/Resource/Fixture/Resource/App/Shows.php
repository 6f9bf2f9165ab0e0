<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Shows extends Logged
{
    #[Embed('other', '/shows-back')]
    public function onGet(): static
    {
        $this->ran();
        $this['text'] = json_encode($this->embedded('other'));

        return $this;
    }
}
