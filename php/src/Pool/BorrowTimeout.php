<?php

declare(strict_types=1);

namespace Tusk\Pool;

/** Every connection of the pool is lent, and none came back in time. */
final class BorrowTimeout extends \RuntimeException
{
    public static function after(float $seconds, int $max): self
    {
        return new self(\sprintf('No connection within %g s: all %d are lent', $seconds, $max));
    }
}
