<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

enum Rank: int
{
    case First = 1;
    case Second = 2;
}
