<?php

// SPDX-License-Identifier: MIT
// Prepended to each test under valgrind: PHP does not collect cycles when it ends, and they would look like leaks.
declare(strict_types=1);

register_shutdown_function(static function (): void {
    foreach (array_keys($GLOBALS) as $name) {
        unset($GLOBALS[$name]);
    }
    gc_collect_cycles();
});
