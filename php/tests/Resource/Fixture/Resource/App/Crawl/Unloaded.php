<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\FailingLoader;
use Tusk\Tests\Resource\Fixture\Logged;

final class Unloaded extends Logged
{
    #[Link('posts', '/tag', crawl: 'tree', dataLoader: FailingLoader::class)]
    public function onGet(): static
    {
        $this->ran();
        $this->body = [['id' => 1]];

        return $this;
    }
}
