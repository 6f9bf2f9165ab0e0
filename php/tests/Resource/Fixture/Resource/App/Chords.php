<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Logged;

/** A member of a ring of n that embeds all others. */
final class Chords extends Logged
{
    public function onGet(int $n, int $at): static
    {
        $this->ran();
        $this['at'] = $at;
        for ($i = 0; $i < $n; $i++) {
            if ($i !== $at) {
                $this["to$i"] = $this->client()->get->uri("app://self/chords?n=$n&at=$i");
            }
        }

        return $this;
    }
}
