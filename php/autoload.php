<?php

declare(strict_types=1);

// Tusk's classes of PHP for a program that brings no Composer along: `tusk serve` and `tusk proxy` begin with it. Classes that the program's own
// autoloader knows come from there.

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/src/' . strtr(substr($class, strlen('Tusk\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'Tusk\\') && is_file($file)) {
        require $file;
    }
});
