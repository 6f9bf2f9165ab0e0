<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Posts extends Logged
{
    #[Link('comments', '/crawl/comments?post={id}', crawl: 'tree')]
    #[Link('never', '/fails?message=never', crawl: 'other')]
    public function onGet(int $user): static
    {
        $this->ran();
        $this->body = [['id' => $user * 10], ['id' => $user * 10 + 1]];

        return $this;
    }
}
