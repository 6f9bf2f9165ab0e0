<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

/** What ran, in whichever process: a file that all append to. */
final class Log
{
    /** The file is the same for the life of the process, as workers know only what was there before them. */
    public static function start(): void
    {
        if (getenv('TUSK_RESOURCE_LOG') === false) {
            $file = (string) tempnam(sys_get_temp_dir(), 'ran');
            putenv("TUSK_RESOURCE_LOG=$file");
            $owner = getmypid();
            register_shutdown_function(static fn (): bool => $owner === getmypid() && unlink($file));
        }
        self::clear();
    }

    public static function add(string $line): void
    {
        file_put_contents((string) getenv('TUSK_RESOURCE_LOG'), "$line\n", FILE_APPEND | LOCK_EX);
    }

    public static function clear(): void
    {
        file_put_contents((string) getenv('TUSK_RESOURCE_LOG'), '');
    }

    /** @return list<string> */
    public static function lines(): array
    {
        return file((string) getenv('TUSK_RESOURCE_LOG'), FILE_IGNORE_NEW_LINES) ?: [];
    }
}
