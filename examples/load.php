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

// What an example says of itself, above its code, with the command that runs it.
$about = preg_match('~^// .+?(?=\n\n)~ms', (string) file_get_contents($argv[0]), $m) === 1 ? preg_replace('~^// ~m', '', $m[0]) . "\n" : '';

// A port that is taken or none at all is said in a line; what else ends an example is PHP's to tell.
set_exception_handler(static function (Throwable $e) use ($about): never {
    if ($e instanceof ValueError && $e->getFile() === realpath($_SERVER['argv'][0])) {
        fwrite(STDERR, "{$e->getMessage()}\n$about");
        exit(ExitCode::WrongUsage->value);
    }
    if ($e instanceof Tusk\Exception) {
        fwrite(STDERR, "{$e->getMessage()}\n");
        exit(ExitCode::OurFault->value);
    }
    restore_exception_handler();
    throw $e;
});

if (!defined('ANY_ARGUMENTS') && !ctype_digit($argv[1] ?? '')) {
    $asked = in_array($argv[1] ?? '', ['--help', '-h'], true);
    fwrite($asked ? STDOUT : STDERR, $about === '' ? "usage: php {$argv[0]} PORT\n" : $about);
    exit($asked ? ExitCode::Done->value : ExitCode::WrongUsage->value);
}
