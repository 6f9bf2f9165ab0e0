<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class ChordsRead extends Logged
{
    #[Embed('ring', '/chords?n={n}&at=0')]
    public function onGet(int $n): static
    {
        $this->ran();
        $this['code'] = $this->embedded('ring')->code;

        return $this;
    }
}
