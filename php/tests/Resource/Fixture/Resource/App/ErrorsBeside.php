<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Resource\Embed;
use Tusk\Tests\Resource\Fixture\Logged;

/** Beside what fails one reads an embed of its own, later. */
final class ErrorsBeside extends Logged
{
    #[Embed('first', '/fails?message=first')]
    #[Embed('reads', '/reads-late')]
    #[Embed('last', '/fails?message=last')]
    public function onGet(): static
    {
        return $this;
    }
}
