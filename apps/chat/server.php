<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

// The chat: php -d extension=tusk server.php [PORT] [--open]; --help lists the rest.
require __DIR__ . '/autoload.php';

use Tusk\Chat\{Application, Settings};

if (array_intersect(['--help', '-h'], $argv) !== []) {
    echo Settings::help();
    exit(0);
}
if (!class_exists(Tusk\Server::class)) {
    fwrite(STDERR, "The extension \"tusk\" is not loaded: run `make demo`, or php -d extension=build/ext/modules/tusk.so {$argv[0]}\n");
    exit(3);
}
try {
    $settings = Settings::from(array_slice($argv, 1), getenv(), __DIR__ . '/var');
} catch (ValueError $e) {
    fwrite(STDERR, "chat: {$e->getMessage()}\n");
    exit(2);
}
try {
    exit((new Application($settings, __DIR__ . '/public'))->run());
} catch (RuntimeException | ValueError $e) {
    fwrite(STDERR, "chat: {$e->getMessage()}\n");
    exit($e instanceof ValueError ? 2 : 3); // a value that none may have, or a port or folder that is not to be had
}
