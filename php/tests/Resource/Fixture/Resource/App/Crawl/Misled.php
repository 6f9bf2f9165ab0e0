<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;
use Tusk\Tests\Resource\Fixture\MisleadingLoader;

final class Misled extends Logged
{
    #[Link('posts', '/tag', crawl: 'tree', dataLoader: MisleadingLoader::class)]
    #[Link('none', '/tag', crawl: 'none', dataLoader: \ArrayObject::class)] // @phpstan-ignore argument.type (what the crawl has to find)
    public function onGet(string $gives = ''): static
    {
        $this->body = [['id' => 1, 'gives' => $gives], ['id' => 2, 'gives' => $gives]];

        return $this;
    }
}
