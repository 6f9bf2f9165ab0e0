<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class A extends Logged
{
    #[Link('b', '/crawl/b?id={id}', crawl: 'tree')]
    #[Link('d', '/crawl/d?id={id}', crawl: 'tree')]
    public function onGet(string $id): static
    {
        $this->ran();
        $this->body = ['id' => $id];

        return $this;
    }
}
