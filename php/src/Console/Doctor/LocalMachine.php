<?php

declare(strict_types=1);

namespace Tusk\Console\Doctor;

final readonly class LocalMachine implements Machine
{
    public function openFiles(): ?array
    {
        if (!function_exists('posix_getrlimit')) {
            return null;
        }
        $limits = posix_getrlimit();
        if (!is_array($limits) || !isset($limits['soft openfiles'], $limits['hard openfiles'])) {
            return null;
        }

        return [self::number($limits['soft openfiles']), self::number($limits['hard openfiles'])];
    }

    public function kernelSetting(string $name): ?string
    {
        $file = "/proc/sys/$name";
        $text = is_readable($file) ? file_get_contents($file) : false;

        return $text === false ? null : trim($text);
    }

    public function phpVersion(): string
    {
        return PHP_VERSION;
    }

    public function hasPhpExtension(string $name): bool
    {
        return extension_loaded($name);
    }

    public function phpSetting(string $name): string
    {
        return (string) ini_get($name);
    }

    private static function number(mixed $limit): int
    {
        return is_numeric($limit) ? (int) $limit : PHP_INT_MAX;
    }
}
