<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

// The chat: php -d extension=tusk server.php [PORT] [--open]; --help lists the rest.
require __DIR__ . '/autoload.php';

use Tusk\Chat\{Application, Settings};
use Tusk\Terminal\{ExitCode, MissingExtension};

if (array_intersect(['--help', '-h'], $argv) !== []) {
    echo Settings::help();
    exit(ExitCode::Done->value);
}
if (!class_exists(Tusk\Server::class)) {
    fwrite(STDERR, MissingExtension::forProgram($argv[0])->getMessage() . "\n");
    exit(ExitCode::OurFault->value);
}
try {
    $settings = Settings::from(array_slice($argv, 1), getenv(), __DIR__ . '/var');
} catch (ValueError $e) {
    fwrite(STDERR, "chat: {$e->getMessage()}\n");
    exit(ExitCode::WrongUsage->value);
}
try {
    exit((new Application($settings, __DIR__ . '/public'))->run());
} catch (RuntimeException | ValueError $e) {
    fwrite(STDERR, "chat: {$e->getMessage()}\n");
    exit($e instanceof ValueError ? ExitCode::WrongUsage->value : ExitCode::OurFault->value); // a value that none may have, or a port or folder that is not to be had
}
