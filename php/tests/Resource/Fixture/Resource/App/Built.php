<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture\Resource\App;

use Tusk\Tests\Resource\Fixture\Box;
use Tusk\Tests\Resource\Fixture\Logged;
use Tusk\Tests\Resource\Fixture\Picky;

/** Parameters whose classes are built in other ways, or not at all. */
final class Built extends Logged
{
    /** @return array<array-key, mixed> */
    public function onGet(\stdClass $any): array
    {
        return (array) $any;
    }

    public function onPut(Box $box): string
    {
        return $box->color?->name . ' at ' . $box->corner?->x;
    }

    public function onPost(?Logged $abstract = null, ?\Closure $private = null): string
    {
        return 'ran';
    }

    public function onPatch(Picky $picky): int
    {
        return $picky->length;
    }
}
