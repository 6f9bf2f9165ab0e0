<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

// PSR-4 for Tusk\Chat, and Tusk's own classes of PHP, without Composer: the demo needs nothing but PHP and the extension.
require_once __DIR__ . '/../../php/autoload.php';

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
