<?php

declare(strict_types=1);

namespace Tusk\Tests\Resource\Fixture;

/** What ran, in whichever process: a file that all append to. */
final class Log
{
    public static function start(): void
    {
        putenv('TUSK_RESOURCE_LOG=' . tempnam(sys_get_temp_dir(), 'ran'));
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

    public static function end(): void
    {
        unlink((string) getenv('TUSK_RESOURCE_LOG'));
        putenv('TUSK_RESOURCE_LOG');
    }
}
