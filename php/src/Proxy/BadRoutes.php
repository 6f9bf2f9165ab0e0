<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/** A file of routes, or a pattern, that cannot be used. */
final class BadRoutes extends \RuntimeException
{
    public static function unreadable(string $file): self
    {
        return new self("The routes cannot be read: there is no readable file $file");
    }

    /** A line's own bytes are shown: a NUL would end the log's line there, and an escape sequence do what it likes to a terminal. */
    public static function line(string $file, int $line, string $why): self
    {
        return new self("$file:$line: " . addcslashes($why, "\0..\37\177"));
    }

    public static function pattern(string $pattern, string $why): self
    {
        return new self("The pattern \"$pattern\" cannot be used: $why");
    }
}
