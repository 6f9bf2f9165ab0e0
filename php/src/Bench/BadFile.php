<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** A file that was given cannot be used: the message says where and why. */
final class BadFile extends \RuntimeException
{
    public static function at(string $file, ?int $line, string $reason): self
    {
        return new self($line === null ? "$file: $reason" : "$file:$line: $reason");
    }

    public static function unreadable(string $file): self
    {
        return new self(match (true) {
            is_dir($file) => "$file: is a folder, a file is wanted",
            file_exists($file) => "$file: cannot be read; its owner or mode forbid it",
            default => "$file: there is no such file",
        });
    }

    /** @throws self */
    public static function contents(string $file): string
    {
        $text = is_file($file) ? @file_get_contents($file) : false;

        return $text === false ? throw self::unreadable($file) : $text;
    }
}
