<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Leaf extends Logged
{
    #[Embed('stem', '/crawl/stem{?id}')]
    public function onGet(string $id): static
    {
        $this->ran();
        $this['leaf'] = true;

        return $this;
    }
}
