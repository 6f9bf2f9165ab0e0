<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Chained extends Logged
{
    #[Link('one', '/scalar', crawl: 'tree')]
    #[Link('two', '/echoing?q={one}', crawl: 'tree')]
    public function onGet(): static
    {
        $this->ran();
        $this->body = ['id' => 1];

        return $this;
    }
}
