<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Color;
use Tusk\Tests\Resource\Fixture\Logged;

/** Its templates are filled from what the method gets, not from the text that was sent. */
final class Typed extends Logged
{
    #[Embed('echo', '/echoing?limit={n}&q={f},{b},{t},{either},{color}')]
    public function onGet(int $n, float $f = 2, bool $b = true, string $t = '', int|float $either = 0, ?Color $color = null): static
    {
        $this->ran();

        return $this;
    }

    #[Embed('_self', '/echoing?limit={n}')]
    #[Embed('nowhere', '/no-such-thing{?n}')]
    public function onPut(int $n): static
    {
        $this->ran();

        return $this;
    }
}
