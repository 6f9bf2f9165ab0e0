<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

final class ChangesLate extends Logged
{
    #[Embed('tag', '/tag')]
    #[Embed('echo', '/echoing?q=early')]
    public function onGet(): static
    {
        $this->ran();
        $this['read'] = $this->embedded('tag')->code; // which runs the other one, too
        $this->embedded('echo')->addQuery(['q' => 'late']);

        return $this;
    }
}
