<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** Where server and generator run: apart, when the machine has two cores and taskset. */
final class Cores
{
    private static ?string $taskset = null;

    /**
     * @param bool $swapped on the last core instead of core 0
     *
     * @return list<string> what a server's command begins with
     */
    public static function server(bool $swapped = false): array
    {
        return self::apart() ? ['taskset', '-c', (string) ($swapped ? self::count() - 1 : 0)] : [];
    }

    /** @return list<string> what the command of something begins with that helps the generator */
    public static function beside(): array
    {
        return self::apart() ? ['taskset', '-c', '1-' . (self::count() - 1)] : [];
    }

    /** Moves this process, and the workers that it will fork, away from the server's core, which `$swapped` makes the last one. */
    public static function generator(bool $swapped = false): void
    {
        if (self::apart()) {
            exec('taskset -acp ' . ($swapped ? '0-' . (self::count() - 2) : '1-' . (self::count() - 1)) . ' ' . getmypid() . ' 2>/dev/null');
        }
    }

    public static function told(): string
    {
        return self::apart() ? 'server on core 0, generator on ' . (self::count() === 2 ? 'core 1' : 'the others') : 'server and generator share the cores';
    }

    private static function apart(): bool
    {
        self::$taskset ??= (string) exec('command -v taskset');

        return self::$taskset !== '' && self::count() > 1;
    }

    private static function count(): int
    {
        return max(1, (int) preg_match_all('~^processor\s*:~m', (string) @file_get_contents('/proc/cpuinfo')));
    }
}
