<?php

declare(strict_types=1);

// What a program that `tusk serve` or `tusk proxy` runs begins with: Tusk's classes, and one line in place of a trace where run() finds its port taken.
// A program's own exception handler takes the place of this one.

require_once __DIR__ . '/autoload.php';

set_exception_handler(static function (Throwable $fault): void {
    $thrower = $fault->getTrace()[0] ?? [];
    if ($fault instanceof Tusk\Exception && ($thrower['function'] ?? '') === 'run' && str_starts_with($thrower['class'] ?? '', 'Tusk\\')) {
        fwrite(STDERR, "tusk: {$fault->getMessage()}\n");
        exit(Tusk\Terminal\ExitCode::OurFault->value);
    }
    throw $fault; // as PHP tells it, with the trace
});
