<?php

declare(strict_types=1);

namespace Tusk\Console;

/** Starts a PHP file in place of this process, with the extension that this process has. */
interface Launcher
{
    /**
     * MUST replace the process where the platform can; otherwise runs the file to its end.
     *
     * @param list<string> $arguments
     *
     * @return int the file's exit status, when the process could not be replaced
     */
    public function launch(string $file, array $arguments): int;
}
