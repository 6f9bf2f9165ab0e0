<?php

declare(strict_types=1);

namespace Tusk\Pool;

/**
 * What Redis knows of a connection (CLIENT INFO, from Redis 6.2 on) and its next borrower would find.
 *
 * @internal
 */
final class RedisClient
{
    private const FIELDS = ['db', 'flags', 'multi', 'name', 'psub', 'redir', 'resp', 'ssub', 'sub', 'user'];

    private function __construct() {}

    /** Equal for equal ones; null where the server does not tell. */
    public static function parse(mixed $info): ?string
    {
        if (!\is_string($info) || preg_match_all('~(?:^| )([a-z-]+)=([^ ]*)~', rtrim($info), $m) === 0) {
            return null;
        }

        return http_build_query(array_intersect_key(array_combine($m[1], $m[2]), array_flip(self::FIELDS)));
    }
}
