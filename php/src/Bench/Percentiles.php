<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The percentiles that every report shows, and how they are written. */
final class Percentiles
{
    public const SHOWN = ['p50' => 50.0, 'p90' => 90.0, 'p95' => 95.0, 'p99' => 99.0, 'p99.9' => 99.9, 'p99.99' => 99.99];

    /** `p99.9` gives 99.9; null for anything else, also out of range. */
    public static function parse(string $name): ?float
    {
        if (preg_match('~^p(\d{1,2}(?:\.\d+)?|100)$~', $name, $m) !== 1) {
            return null;
        }

        return (float) $m[1];
    }

    /** Samples that are needed before a percentile is worth printing. */
    public static function support(float $percentile): int
    {
        return $percentile >= 100.0 ? 1 : (int) ceil(10 / (1 - $percentile / 100) - 1e-6);
    }
}
