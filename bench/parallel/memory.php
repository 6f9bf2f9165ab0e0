<?php

// SPDX-License-Identifier: MIT
// Memory of a process, as the kernel counts it.

declare(strict_types=1);

/** KiB that belong to that process alone. */
function private_kib(int $pid): float
{
    preg_match_all('~^Private_\w+:\s+(\d+) kB~m', (string) file_get_contents("/proc/$pid/smaps_rollup"), $m);
    return (float) array_sum($m[1]);
}
