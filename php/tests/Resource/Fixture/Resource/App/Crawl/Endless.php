<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Resource\Link;
use Tusk\Tests\Resource\Fixture\Logged;

final class Endless extends Logged
{
    #[Link('next', '/crawl/endless?n={next}', crawl: 'tree')]
    public function onGet(int $n = 0): static
    {
        $this->ran();
        $this->body = ['next' => $n + 1];

        return $this;
    }
}
