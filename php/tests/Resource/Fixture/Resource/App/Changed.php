<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Changed extends Logged
{
    #[Embed('posts', '/echoing?limit=1')]
    #[Embed('crawl', '/crawl/a?id=1')]
    public function onGet(): static
    {
        $this->ran();
        $this->embedded('posts')->addQuery(['limit' => 5]);
        $this->embedded('crawl')->linkCrawl('tree');

        return $this;
    }
}
