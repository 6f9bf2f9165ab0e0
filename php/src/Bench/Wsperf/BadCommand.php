<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

/** A command that is refused, in the words of an `error` message. */
final class BadCommand extends \RuntimeException
{
    public static function parameter(string $key): self
    {
        return new self("Invalid $key parameter.");
    }
}
