<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The machine that a result comes from, and the limits that a load meets on it. */
final class Machine
{
    /** @return array<string, int|string|null> null: not known here */
    public static function facts(): array
    {
        $limits = function_exists('posix_getrlimit') ? posix_getrlimit() : [];
        $limits = is_array($limits) ? $limits : [];

        return [
            'system' => PHP_OS,
            'kernel' => self::named('r'),
            'architecture' => self::named('m'),
            'cpus' => self::cpus(),
            'cpu_model' => self::model(self::read('/proc/cpuinfo')),
            'memory_bytes' => (int) self::field(self::read('/proc/meminfo'), '~^MemTotal:\s*(\d+)~m') * 1024,
            'php' => PHP_VERSION,
            'files_soft' => self::limit($limits['soft openfiles'] ?? null),
            'files_hard' => self::limit($limits['hard openfiles'] ?? null),
            'ports' => self::setting('net/ipv4/ip_local_port_range'),
            'backlog' => (int) self::setting('net/core/somaxconn'),
            'tcp_tw_reuse' => (int) self::setting('net/ipv4/tcp_tw_reuse'),
        ];
    }

    /** Where no function is disabled, as hosters do it. */
    private static function named(string $what): ?string
    {
        return function_exists('php_uname') ? php_uname($what) : null;
    }

    public static function cpus(): int
    {
        return max(1, (int) preg_match_all('~^processor\s*:~m', self::read('/proc/cpuinfo')));
    }

    /** The processor's name in /proc/cpuinfo; on x86 a "model" in small letters stands before it and is a number. */
    public static function model(string $info): ?string
    {
        return self::field($info, '~^(?:model name|Model|cpu model)\s*:\s*(.+)$~m');
    }

    private static function setting(string $name): ?string
    {
        $text = @is_readable("/proc/sys/$name") ? file_get_contents("/proc/sys/$name") : false;

        return $text === false ? null : (string) preg_replace('~\s+~', '-', trim($text));
    }

    private static function read(string $file): string
    {
        return @is_readable($file) ? (string) file_get_contents($file) : '';
    }

    private static function field(string $text, string $pattern): ?string
    {
        return preg_match($pattern, $text, $m) === 1 ? trim($m[1]) : null;
    }

    private static function limit(mixed $value): int|string|null
    {
        return is_int($value) || is_string($value) ? $value : null;
    }
}
