<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

// A server to run, pinned to core 0 and ended by its process id, is the library's: no second copy here.

namespace Tusk\Bench\Suite;

foreach (['ProcessTree', 'Suite/Cores', 'Suite/ServerProcess'] as $class) {
    require_once __DIR__ . "/../../php/src/Bench/$class.php";
}
class_alias(ServerProcess::class, Process::class);
