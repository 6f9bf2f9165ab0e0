<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

/** What its first part reads while it runs is its second part. */
final class SharedPage extends Logged
{
    #[Embed('reads', '/reads-shared')]
    #[Embed('shared', '/echoing?q=shared')]
    public function onGet(): static
    {
        $this->ran();

        return $this;
    }
}
