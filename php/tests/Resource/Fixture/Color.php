<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

enum Color: string
{
    case Red = 'red';
    case Blue = 'blue';
}
