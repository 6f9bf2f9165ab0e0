<?php

declare(strict_types=1);

namespace Tusk\Console\Doctor;

final readonly class LocalMachine implements Machine
{
    /** @param string $root where /proc, /sys and /etc are looked for: a test has its own */
    public function __construct(private string $root = '') {}

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
        $text = $this->read("/proc/sys/$name");

        return $text === null ? null : trim($text);
    }

    public function linuxRelease(): ?string
    {
        return $this->kernelSetting('kernel/osrelease');
    }

    public function capabilities(): ?int
    {
        return preg_match('~^CapEff:\s*([0-9a-f]+)$~mi', (string) $this->read('/proc/self/status'), $m) === 1 ? (int) hexdec($m[1]) : null;
    }

    public function hasKernelTypes(): bool
    {
        return @is_file("{$this->root}/sys/kernel/btf/vmlinux");
    }

    public function memory(): ?int
    {
        return preg_match('~^MemTotal:\s*(\d+) kB$~m', (string) $this->read('/proc/meminfo'), $m) === 1 ? 1024 * (int) $m[1] : null;
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

    private function read(string $name): ?string
    {
        $file = $this->root . $name;
        $text = @is_readable($file) ? @file_get_contents($file) : false; // open_basedir; some settings open, and then refuse to be read

        return $text === false ? null : $text;
    }

    private static function number(mixed $limit): int
    {
        return is_numeric($limit) ? (int) $limit : PHP_INT_MAX;
    }
}
