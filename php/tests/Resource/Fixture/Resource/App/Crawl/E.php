<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App\Crawl;

use Tusk\Tests\Resource\Fixture\Logged;

final class E extends Logged
{
    public function onGet(string $id): static
    {
        $this->ran();
        $this->body = ['id' => $id, 'end' => true];

        return $this;
    }
}
