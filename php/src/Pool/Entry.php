<?php

declare(strict_types=1);

namespace Tusk\Pool;

/**
 * A connection and its times, in nanoseconds of hrtime().
 *
 * @template C of object
 * @internal
 */
final class Entry
{
    public int $idleSince = 0;

    /**
     * @param C   $connection
     * @param int $pid        of the process that opened it, whose it stays
     */
    public function __construct(public readonly object $connection, public readonly int $made, public readonly int $pid) {}

    public static function older(int $since, float $seconds): bool
    {
        return hrtime(true) - $since > $seconds * 1e9;
    }
}
