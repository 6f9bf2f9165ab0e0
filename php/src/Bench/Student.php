<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Student's t distribution, for intervals from few blocks. */
final class Student
{
    /** The value that |t| stays under with this probability. */
    public static function quantile(int $degrees, float $confidence = 0.95): float
    {
        if ($degrees < 1) {
            return INF;
        }
        $low = 0.0;
        $high = 1.0;
        while (self::within($high, $degrees) < $confidence) {
            $high *= 2;
        }
        while ($high - $low > 1e-12 * $high) {
            $middle = ($low + $high) / 2;
            if (self::within($middle, $degrees) < $confidence) {
                $low = $middle;
            } else {
                $high = $middle;
            }
        }

        return ($low + $high) / 2;
    }

    /** P(|T| < t), by the finite series for whole degrees of freedom. */
    private static function within(float $t, int $degrees): float
    {
        $angle = atan($t / sqrt($degrees));
        $cosine = cos($angle);
        $square = $cosine * $cosine;
        if ($degrees % 2 === 1) {
            $term = $sum = $degrees > 1 ? $cosine : 0.0;
            for ($k = 3; $k <= $degrees - 2; $k += 2) {
                $term *= $square * ($k - 1) / $k;
                $sum += $term;
            }

            return 2 / M_PI * ($angle + sin($angle) * $sum);
        }
        $term = $sum = 1.0;
        for ($k = 2; $k <= $degrees - 2; $k += 2) {
            $term *= $square * ($k - 1) / $k;
            $sum += $term;
        }

        return sin($angle) * $sum;
    }
}
