<?php

declare(strict_types=1);

namespace Tusk\Conformance;

/** Writes without reading. */
final class Flood
{
    /** @return ?int bytes the peer took before it took no more for three seconds; null: it went on */
    public static function untilStopped(Wire $wire, string $block, int $most, float $seconds): ?int
    {
        $sent = 0;
        for ($until = Loop::deadline($seconds), $idle = 0; $sent < $most && Loop::now() < $until;) {
            $count = $wire->writeSome(substr($block, $sent % strlen($block), 1 << 17));
            if ($count < 0) {
                return null;
            }
            $sent += $count;
            $idle = $count === 0 ? $idle + 1 : 0;
            if ($idle > 300) {
                return $sent;
            }
            Loop::sleep($count === 0 ? 0.01 : 0.0);
        }

        return null;
    }

    /** @return int bytes the peer's side took within the time, or before it stopped reading or ended */
    public static function push(Wire $wire, string $block, float $seconds, int $rounds = PHP_INT_MAX): int
    {
        $until = Loop::now() + $seconds;
        $sent = 0;
        $idle = 0;
        for ($round = 0; $round < $rounds && Loop::now() < $until; $round++) {
            for ($offset = 0; $offset < strlen($block) && Loop::now() < $until;) {
                $count = $wire->writeSome(substr($block, $offset, 1 << 17));
                if ($count < 0) {
                    return $sent;
                }
                $offset += $count;
                $sent += $count;
                $idle = $count === 0 ? $idle + 1 : 0;
                if ($idle > 100) {
                    return $sent;
                }
                Loop::sleep($count === 0 ? 0.01 : 0.0);
            }
        }

        return $sent;
    }
}
