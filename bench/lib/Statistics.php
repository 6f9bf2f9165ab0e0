<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** Paired comparison: the mean of the logarithms of per-round ratios and its 95 % interval. */
final readonly class Statistics
{
    private const T = [1 => 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13,
        2.12, 2.11, 2.10, 2.09, 2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05, 2.04];

    private function __construct(public float $ratio, public float $lower, public float $upper, public int $pairs)
    {
    }

    /**
     * @param array<int, float> $ours   by round
     * @param array<int, float> $theirs
     */
    public static function paired(array $ours, array $theirs, bool $less): self
    {
        $logs = [];
        foreach ($ours as $i => $value) {
            $other = $theirs[$i] ?? 0.0;
            if ($value > 0 && $other > 0) {
                $logs[] = ($less ? -1 : 1) * log($value / $other);
            }
        }
        $n = count($logs);
        if ($n === 0) {
            return new self(NAN, NAN, NAN, 0);
        }
        $mean = array_sum($logs) / $n;
        $squares = array_sum(array_map(static fn (float $d): float => ($d - $mean) ** 2, $logs));
        $half = $n < 2 ? NAN : (self::T[$n - 1] ?? 2.0) * sqrt($squares / ($n - 1) / $n);

        return new self(exp($mean), exp($mean - $half), exp($mean + $half), $n);
    }

    /**
     * @param non-empty-array<int, float> $values
     */
    public static function median(array $values): float
    {
        sort($values);
        $n = count($values);

        return ($values[intdiv($n - 1, 2)] + $values[intdiv($n, 2)]) / 2;
    }
}
