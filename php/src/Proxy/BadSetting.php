<?php

declare(strict_types=1);

namespace Tusk\Proxy;

/** An option or environment variable that is none. */
final class BadSetting extends \InvalidArgumentException
{
    public static function missing(string $name, string $what): self
    {
        return new self("$name is missing: $what");
    }

    /** @param list<string> $known */
    public static function noneOf(string $name, string $value, array $known): self
    {
        return new self("$name is one of " . implode(', ', $known) . ", not \"$value\"");
    }

    public static function outOfRange(string $name, string $what): self
    {
        return new self("$name: $what");
    }

    public static function of(string $name, string $value, string $what): self
    {
        return new self("$name must be $what, not \"$value\"");
    }
}
