<?php

declare(strict_types=1);

namespace Tusk\Conformance;

ini_set('memory_limit', '-1');
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, __NAMESPACE__ . '\\')) {
        require __DIR__ . '/' . substr($class, strlen(__NAMESPACE__) + 1) . '.php';
    }
});
require __DIR__ . '/functions.php';
