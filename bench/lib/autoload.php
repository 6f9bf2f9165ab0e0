<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

// The classes of bench/suite and bench/cost, and those of the library that they use: without Composer, as no package is needed.
spl_autoload_register(static function (string $class): void {
    $folders = ['Tusk\\Bench\\Target\\' => __DIR__, 'Tusk\\Bench\\Cost\\' => __DIR__ . '/cost', 'Tusk\\Bench\\' => dirname(__DIR__, 2) . '/php/src/Bench'];
    foreach ($folders as $space => $folder) {
        $file = $folder . '/' . strtr(substr($class, strlen($space)), '\\', '/') . '.php';
        if (str_starts_with($class, $space) && is_file($file)) {
            require $file;
            return;
        }
    }
});
