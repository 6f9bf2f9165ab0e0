<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

// PSR-4 for Tusk\Dashboard, and the library (in an installed project: vendor/autoload.php for both).
require_once __DIR__ . '/../../php/vendor/autoload.php';

spl_autoload_register(static function (string $class): void {
    foreach (['Tusk\\Dashboard\\Tests\\' => 'tests', 'Tusk\\Dashboard\\' => 'src'] as $prefix => $folder) {
        if (str_starts_with($class, $prefix)) {
            $file = __DIR__ . "/$folder/" . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
            if (is_file($file)) {
                require $file;
            }
            return;
        }
    }
});
