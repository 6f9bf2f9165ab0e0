<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

/** What its stem leads to embeds that stem. */
final class Bed extends Logged
{
    #[Link('stem', '/crawl/stem?id={id}', crawl: 'tree')]
    public function onGet(): static
    {
        $this->ran();
        $this->body = ['id' => '1'];

        return $this;
    }
}
