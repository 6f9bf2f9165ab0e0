<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

/** Its constructor has a fault. */
final readonly class Picky
{
    public int $length;

    public function __construct(public string $name = 'x')
    {
        $this->length = strlen(explode(' ', $name)); // @phpstan-ignore argument.type (its fault)
    }
}
