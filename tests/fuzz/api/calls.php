<?php

declare(strict_types=1);

// One child of the API fuzzer: calls of the extension's own classes with odd arguments, in the order of a seed.
// calls.php SEED CALLS TRACE; each call is written to TRACE before it is made, and at last how the child ended.

require __DIR__ . '/values.php';
require __DIR__ . '/rig.php';
require __DIR__ . '/acts.php';
require __DIR__ . '/hosts.php';

error_reporting(E_ALL);
ini_set('memory_limit', '512M');
ini_set('fiber.stack_size', '8M'); // frames are several times as large under ASan
set_time_limit(30); // of computing

[, $seed, $calls, $trace] = $argv;
mt_srand((int) $seed);
Rig::start($trace);
for ($i = 0; $i < (int) $calls; $i++) {
    if ($i === intdiv((int) $calls, 2) && getenv('TUSK_FUZZ_FAULT') !== false) {
        require __DIR__ . '/faults.php';
    }
    act();
}
try {
    Rig::$objects = [];
} catch (Throwable $thrown) {
    told($thrown);
}
Rig::done();
