<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Grown extends Logged
{
    #[Embed('stem', '/crawl/stem?id=1')]
    public function onGet(): static
    {
        $this->ran();
        $this->embedded('stem')->linkCrawl('tree');

        return $this;
    }
}
