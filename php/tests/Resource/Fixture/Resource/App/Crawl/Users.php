<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Users extends Logged
{
    #[Link('posts', '/crawl/posts?user={id}', crawl: 'tree')]
    #[Link('other', '/fails?message=never')]
    #[Link('never', '/fails?message=never', crawl: 'other')]
    public function onGet(int $count = 2): static
    {
        $this->ran();
        $this->body = array_map(static fn (int $id): array => ['id' => $id], $count < 1 ? [] : range(1, $count));

        return $this;
    }
}
