<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

// PSR-4 for Tusk\Chat without Composer, so that the demo needs nothing but PHP and the extension.
spl_autoload_register(static function (string $class): void {
    foreach (['Tusk\\Chat\\Tests\\' => 'tests', 'Tusk\\Chat\\' => 'src'] as $prefix => $folder) {
        if (str_starts_with($class, $prefix)) {
            $file = __DIR__ . "/$folder/" . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
            if (is_file($file)) {
                require $file;
            }
            return;
        }
    }
});
