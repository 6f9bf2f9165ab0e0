<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

/** Its leaf embeds the stem again, without the crawl: another request, so no circle. */
final class Stem extends Logged
{
    #[Link('leaf', '/crawl/leaf?id={id}', crawl: 'tree')]
    public function onGet(string $id): static
    {
        $this->ran();
        $this->body = ['id' => $id];

        return $this;
    }
}
