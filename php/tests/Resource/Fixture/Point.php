<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

final readonly class Point
{
    public function __construct(
        public int $x,
        public int $yAxis = 5,
    ) {}
}
