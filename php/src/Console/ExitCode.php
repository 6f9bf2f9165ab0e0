<?php

declare(strict_types=1);

namespace Tusk\Console;

/** What the command's exit status says. */
enum ExitCode: int
{
    case Done = 0;
    case TargetFailed = 1;
    case WrongUsage = 2;
    case OurFault = 3;
}
