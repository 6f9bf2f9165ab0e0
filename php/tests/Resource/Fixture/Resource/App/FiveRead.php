<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

/** Reads of equal requests, wherever it runs. */
final class FiveRead extends Logged
{
    #[Embed('a', '/tag')]
    #[Embed('b', '/tag')]
    #[Embed('c', '/tag')]
    #[Embed('d', '/tag')]
    #[Embed('e', '/tag')]
    public function onGet(): static
    {
        $this->ran();
        $this['codes'] = array_map(fn (string $rel): int => $this->embedded($rel)->code, ['a', 'b', 'c', 'd', 'e']);

        return $this;
    }
}
