<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Comparison;
use Tusk\Bench\Suite\Table;

/** Paired rounds as the suites tell them; the arithmetic is the library's. */
final readonly class Statistics
{
    private function __construct(public float $ratio, public float $lower, public float $upper, public int $pairs)
    {
    }

    /**
     * @param array<int, float> $ours   by round
     * @param array<int, float> $theirs
     */
    public static function paired(array $ours, array $theirs, bool $less): self
    {
        $pairs = [];
        foreach ($ours as $i => $value) {
            $other = $theirs[$i] ?? 0.0;
            if ($value > 0 && $other > 0) {
                $pairs[] = $less ? [(float) $value, (float) $other] : [(float) $other, (float) $value];
            }
        }
        if ($pairs === []) {
            return new self(NAN, NAN, NAN, 0);
        }
        $found = new Comparison($pairs, $less);

        return count($pairs) < 2 ? new self($found->ratio, NAN, NAN, 1) : new self($found->ratio, $found->low, $found->high, count($pairs));
    }

    /**
     * @param non-empty-array<int, float> $values
     */
    public static function median(array $values): float
    {
        return Table::median(array_values($values));
    }
}
