<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Failing extends Logged
{
    #[Link('a', '/tag', crawl: 'tree')]
    #[Link('b', '/fails?message=first', crawl: 'tree')]
    #[Link('c', '/fails?message=other', crawl: 'tree')]
    public function onGet(): static
    {
        $this->ran();
        $this->body = ['id' => 1];

        return $this;
    }
}
