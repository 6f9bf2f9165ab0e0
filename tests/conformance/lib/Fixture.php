<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** The folder that the HTTP server under test shows as /static/. */
final class Fixture
{
    /** When past.txt and its compressed neighbour, which has as many bytes, were written; ahead.txt is of tomorrow. */
    public const PAST = 1000000000;

    private static ?string $directory = null;

    public static function directory(): string
    {
        if (self::$directory === null) {
            self::$directory = sys_get_temp_dir() . '/conformance-' . getmypid();
            @mkdir(self::$directory . '/sub', 0777, true);
            foreach (self::files() as $name => $content) {
                file_put_contents(self::$directory . "/$name", $content);
            }
            foreach (['past.txt' => self::PAST, 'past.txt.gz' => self::PAST, 'ahead.txt' => time() + 86400] as $name => $time) {
                touch(self::$directory . "/$name", $time);
            }
            register_shutdown_function(self::remove(...));
        }

        return self::$directory;
    }

    /** @return array<string, string> */
    public static function files(): array
    {
        return [
            'digits.txt' => '0123456789',
            'empty.txt' => '',
            'page.html' => "<!doctype html><title>x</title>\n",
            'large.bin' => noise(3 << 20),
            'space name.txt' => 'space',
            '.hidden' => 'hidden',
            'sub/inner.css' => 'body{}',
            'past.txt' => 'past bytes',
            'past.txt.gz' => 'gzip bytes',
            'ahead.txt' => 'ahead',
        ];
    }

    private static function remove(): void
    {
        foreach (array_keys(self::files()) as $name) {
            @unlink(self::$directory . "/$name");
        }
        @rmdir(self::$directory . '/sub');
        @rmdir((string) self::$directory);
    }
}
