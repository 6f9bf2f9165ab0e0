<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class Deep extends Logged
{
    #[Embed('next', '/deep?n={n}')]
    public function onGet(int $n): static
    {
        $this->ran();
        $this->embedded('next')->addQuery(['n' => $n + 1]);

        return $this;
    }
}
