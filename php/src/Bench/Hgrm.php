<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** The percentile text (`.hgrm`) that the usual plotters of latency read. */
final class Hgrm
{
    /**
     * @param float $unit  nanoseconds that stand as 1 in the text; 1e6 gives milliseconds
     * @param int   $ticks rows per halving of the distance to 100 %
     */
    public static function write(Histogram $histogram, float $unit = 1e6, int $ticks = 5): string
    {
        $text = sprintf("%12s %14s %10s %14s\n\n", 'Value', 'Percentile', 'TotalCount', '1/(1-Percentile)');
        foreach (self::rows($histogram, $ticks) as [$value, $percentile, $count]) {
            $text .= sprintf('%12.3f %2.12f %10d', $value / $unit, $percentile / 100, $count);
            $text .= $percentile < 100 ? sprintf(" %14.2f\n", 1 / (1 - $percentile / 100)) : "\n";
        }
        [$buckets, $subBuckets] = self::shape($histogram);

        return $text . sprintf(
            "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n#[Max     = %12.3f, Total count    = %12d]\n#[Buckets = %12d, SubBuckets     = %12d]\n",
            $histogram->mean() / $unit,
            $histogram->stddev() / $unit,
            $histogram->max() / $unit,
            $histogram->count(),
            $buckets,
            $subBuckets,
        );
    }

    /**
     * The spectrum: steps of the percentile shrink as 100 % comes near.
     *
     * @return list<array{int, float, int}> value, percentile 0 to 100, samples up to it
     */
    public static function rows(Histogram $histogram, int $ticks = 5): array
    {
        $total = $histogram->count();
        $rows = [];
        $seen = 0;
        $next = 0.0;
        foreach ($histogram->slots() as [$highest, $count]) {
            $seen += $count;
            $reached = 100.0 * $seen / $total;
            while ($next < 100.0 && $next <= $reached) {
                $rows[] = [min($highest, $histogram->max()), $next, $seen];
                if ($seen === $total) {
                    break;
                }
                $next += 100.0 / ($ticks * 2 ** (floor(log(100.0 / (100.0 - $next), 2)) + 1));
            }
        }
        if ($total > 0) {
            $rows[] = [$histogram->max(), 100.0, $total];
        }

        return $rows;
    }

    /** @return array{int, int} buckets and sub-buckets, read from the encoded form's header */
    private static function shape(Histogram $histogram): array
    {
        $head = unpack('Ncookie/Nlength/Noffset/Ndigits/Jlowest/Jhighest', $histogram->encode());
        $digits = is_array($head) && is_int($head['digits']) ? $head['digits'] : 3;
        $lowest = is_array($head) && is_int($head['lowest']) ? $head['lowest'] : 1;
        $highest = is_array($head) && is_int($head['highest']) ? $head['highest'] : 1;
        $sub = 2 ** (int) ceil(log(2 * 10 ** $digits, 2));
        $top = $sub * 2 ** (int) floor(log($lowest, 2));
        for ($buckets = 1; $top <= $highest; $buckets++) {
            $top *= 2;
        }

        return [$buckets, (int) $sub];
    }
}
