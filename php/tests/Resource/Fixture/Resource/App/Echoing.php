<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

final class Echoing extends Logged
{
    public function onGet(string $limit = '', string $q = ''): static
    {
        $this->ran();
        $this->body = ['limit' => $limit, 'q' => $q];

        return $this;
    }
}
