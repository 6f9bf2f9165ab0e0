<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\Page;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Index extends Logged
{
    #[Embed('tag', 'app://self/tag')]
    public function onGet(): static
    {
        $this->ran();
        $this['title'] = 'page';

        return $this;
    }
}
