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

    public static function line(string $file, int $line, string $why): self
    {
        return new self("$file:$line: $why");
    }

    public static function pattern(string $pattern, string $why): self
    {
        return new self("The pattern \"$pattern\" cannot be used: $why");
    }
}
