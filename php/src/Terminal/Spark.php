<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** A line of little bars. */
final class Spark
{
    private const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

    /** @param list<float> $values not below 0; the highest fills its cell */
    public static function line(array $values, int $width): string
    {
        $values = array_slice($values, -$width);
        $top = max([0.0, ...$values]);

        return implode('', array_map(
            static fn (float $value): string => self::BARS[$top > 0 ? min(7, (int) floor($value / $top * 7.999)) : 0],
            $values,
        ));
    }

    /** How much of something is done. */
    public static function bar(float $part, int $width): string
    {
        $full = (int) round(max(0.0, min(1.0, $part)) * $width);

        return str_repeat('━', $full) . str_repeat('─', $width - $full);
    }
}
