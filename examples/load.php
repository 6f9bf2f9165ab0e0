<?php

// Makes an example run from a checkout: `php examples/echo.php 9001`. With the extension in php.ini this does nothing.

declare(strict_types=1);

// The PHP library of the checkout, where Composer did not bring it.
require_once dirname(__DIR__) . '/php/autoload.php';

use Tusk\Terminal\ExitCode;

if (!extension_loaded('tusk')) {
    $module = dirname(__DIR__) . '/build/ext/modules/tusk.so';
    if (!is_file($module)) {
        fwrite(STDERR, "The extension \"tusk\" is not loaded. Build it (make ext) or run: php -d extension=tusk.so {$argv[0]}\n");
        exit(ExitCode::OurFault->value);
    }
    if (getenv('TUSK_EXAMPLE') === $module || !function_exists('pcntl_exec')) {
        fwrite(STDERR, "Run it with the extension: php -d extension=$module " . implode(' ', $argv) . "\n");
        exit(ExitCode::OurFault->value);
    }
    pcntl_exec(PHP_BINARY, ["-dextension=$module", ...$argv], ['TUSK_EXAMPLE' => $module] + getenv());
    exit(ExitCode::OurFault->value);
}

if (!defined('ANY_ARGUMENTS') && !ctype_digit($argv[1] ?? '')) {
    fwrite(STDERR, "usage: php {$argv[0]} PORT\n");
    exit(ExitCode::WrongUsage->value);
}
