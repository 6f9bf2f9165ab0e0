<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Loader;
use Tusk\Tests\Resource\Fixture\Logged;

final class Loaded extends Logged
{
    #[Link('posts', '/fails?message=never', crawl: 'tree', dataLoader: Loader::class)]
    #[Link('tag', '/echoing?q={posts}', crawl: 'tree')]
    public function onGet(int $count = 2): static
    {
        $this->ran();
        $this->body = array_map(static fn (int $id): array => ['id' => $id], $count < 1 ? [] : range(1, $count));

        return $this;
    }
}
