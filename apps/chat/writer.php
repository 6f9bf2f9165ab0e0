<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

// The process that writes: takes batches from its input, commits each, answers on its output, ends with its input.
// The server starts it; nobody else has a reason to.
require __DIR__ . '/autoload.php';

use Tusk\Chat\{Database, Ledger, Pipe, Work};
use Tusk\Terminal\ExitCode;

if ($argc !== 3) {
    fwrite(STDERR, "writer.php is started by server.php: writer.php DATABASE WHICH-FILE\n");
    exit(ExitCode::WrongUsage->value);
}
if (function_exists('pcntl_signal')) {
    // Ctrl-C and a stop of the service reach the whole group; the server still has writes to hand in while it drains.
    array_map(static fn (int $signal): bool => pcntl_signal($signal, SIG_IGN), [SIGINT, SIGTERM, SIGHUP]);
}
try {
    $ledger = new Ledger(new Database($argv[1], static fn (): int => (int) (microtime(true) * 1000), $argv[2])); // a date
} catch (RuntimeException $e) {
    fwrite(STDERR, "chat: {$e->getMessage()}\n");
    exit(ExitCode::OurFault->value);
}
$pipe = new Pipe(STDIN, STDOUT);
while ($pipe->pull()) {
    if (!$pipe->isWhole()) {
        continue;
    }
    /** @var list<Work<mixed>> $works */
    $works = $pipe->take();
    $began = hrtime(true);
    $outcomes = $ledger->write($works);
    $pipe->put([(hrtime(true) - $began) / 1e9, $outcomes]);
    if (!$pipe->push()) {
        break;
    }
}
