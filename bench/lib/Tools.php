<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

/** The programs in C that `make bench-tools` builds: without the driver nothing can be measured. */
final class Tools
{
    public const DRIVER = 'build/bench/driver';

    /** Ends the program with status 2 and what to do, where they are not built; from the project's folder. */
    public static function orExit(string $program): void
    {
        if (!is_executable(self::DRIVER)) {
            fwrite(STDERR, "$program: " . self::DRIVER . " is not built: run `make bench-tools` first\n");
            exit(2);
        }
    }
}
