<?php

declare(strict_types=1);

namespace Tusk\Console\Tune;

/** How a setting's value is meant. */
enum Bound
{
    case Least;
    case Most;
    case Widest;
    case Exact;
}
