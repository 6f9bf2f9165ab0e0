<?php

// SPDX-License-Identifier: MIT
// A warm pool of one worker and so many tasks that do nothing, one after the other: what bench/cost counts the caller's instructions of.
// php -d extension=build/ext/modules/tusk.so bench/parallel/empty.php TASKS

declare(strict_types=1);

function nothing(): void {}

$pool = new Tusk\Parallel\Pool(workers: 1, max: 1);
for ($i = (int) $argv[1]; $i > 0; $i--) {
    $pool->run('nothing');
}
