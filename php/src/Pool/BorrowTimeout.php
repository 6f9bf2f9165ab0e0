<?php

declare(strict_types=1);

namespace Tusk\Pool;

/** Every connection of the pool is lent or being opened, and none came free in time. */
final class BorrowTimeout extends \RuntimeException
{
    public static function after(float $seconds, int $max): self
    {
        return new self(\sprintf('No connection within %g s: all %d are lent or being opened. More of them (max:), more time (borrowTimeout:), or shorter leases', $seconds, $max));
    }
}
