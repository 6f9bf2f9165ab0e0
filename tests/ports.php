<?php

declare(strict_types=1);

namespace Tusk\Tests;

require_once __DIR__ . '/../php/src/Bench/Suite/Ports.php';

/** A port for a program under test; the rule is that of `tusk bench`. */
function free_port(): int
{
    return \Tusk\Bench\Suite\Ports::free();
}
