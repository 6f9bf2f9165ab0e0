<?php

declare(strict_types=1);

namespace Tusk\Bench;

/**
 * Paired blocks of A and B: the ratio B / A with its interval (95 %, unless told otherwise), and a verdict against a least effect.
 *
 * It counts in logarithms of the pairs' ratios. Their mean is without the tenth at either end and its interval Yuen's (Student's,
 * of the deviation with those ends moved in): a block in which the machine was taken away says nothing about A or B. Up to nine
 * pairs that leaves out nothing. All that compares pairs here does it by this rule: `ab`, the suites, the targets' figures.
 */
final readonly class Comparison
{
    public const ROBUST = 0.1;
    /** Degrees of freedom from which Student's distribution is the normal one, near enough. */
    private const MANY = 1000;
    /** The normal quantile of a power of 80 %. */
    private const POWER = 0.84;
    /** Over that many pairs the sign-flip test has too many patterns to try them all. */
    private const FLIPS_MAX = 15;

    /** B divided by A, the geometric mean over the pairs (see above for what is left out). */
    public float $ratio;
    public float $low;
    public float $high;
    /** Standard deviation of the pairs' logarithms: 0.02 is a spread of 2 %. */
    public float $spread;
    /** Share of the sign patterns that would give at least this effect; null for more than 15 pairs. */
    public ?float $chance;
    /**
     * The least effect for which the verdict would be "same": two one-sided tests (TOST), each with the whole error, so that equals
     * are called different, or what differs by the effect the same, no more often than the confidence says.
     */
    public float $within;
    /** Of a pair, as the interval takes it: what it would be without the ends. */
    private float $inner;

    /**
     * @param list<array{float, float}> $pairs  A's and B's figure of each pair, over 0
     * @param float                     $effect least effect that counts, 0.02 for 2 %
     * @param float                     $confidence of the interval, 0.95 for 95 %; who looks several times needs more for each look
     * @param float                     $trimmed    share of the pairs that is left out at either end
     */
    public function __construct(
        public array $pairs,
        public bool $lowerIsBetter,
        public float $effect = 0.02,
        public float $confidence = 0.95,
        public float $trimmed = self::ROBUST,
    ) {
        if ($pairs === []) {
            throw new \ValueError('no pair to compare');
        }
        $logs = array_map(static fn (array $pair): float => self::log($pair[1]) - self::log($pair[0]), $pairs);
        $n = count($logs);
        $plain = array_sum($logs) / $n;
        $this->spread = $n > 1 ? sqrt(self::squares($logs, $plain) / ($n - 1)) : INF;
        [$mean, $error, $degrees] = self::middle($logs, $trimmed);
        $this->inner = $error * sqrt($n);
        $margin = $degrees > 0 ? Student::quantile($degrees, $confidence) * $error : INF;
        $this->ratio = exp($mean);
        $this->low = exp($mean - $margin);
        $this->high = exp($mean + $margin);
        $oneSided = $degrees > 0 ? Student::quantile($degrees, 1 - 2 * (1 - $confidence)) * $error : INF;
        $this->within = max(exp($mean + $oneSided) - 1, 1 - exp($mean - $oneSided));
        $this->chance = $n <= self::FLIPS_MAX ? self::signFlips($logs) : null;
    }

    public function verdict(): Verdict
    {
        if ($this->within < $this->effect) {
            return Verdict::Same;
        }
        $excludes = $this->low > 1 || $this->high < 1;
        if (!$excludes || abs($this->ratio - 1) < $this->effect) {
            return Verdict::Undecided;
        }

        return ($this->ratio < 1) === $this->lowerIsBetter ? Verdict::Better : Verdict::Worse;
    }

    /** Pairs that are needed to see the least effect with 80 % power, from the spread seen here; about as many tell equals apart from it. */
    public function pairsNeeded(): int
    {
        if (!is_finite($this->spread) || !is_finite($this->inner)) {
            return 2;
        }
        $normal = Student::quantile(self::MANY, $this->confidence);

        return max(2, (int) ceil((($normal + self::POWER) * $this->inner / log(1 + $this->effect)) ** 2));
    }

    /** Half the width of the interval: what this set-up can tell apart. INF: nothing. */
    public function resolution(): float
    {
        return $this->isBounded() ? sqrt($this->high / $this->low) - 1 : INF;
    }

    /** One pair has no spread, and that of two may be wider than numbers go. */
    private function isBounded(): bool
    {
        return is_finite($this->high) && $this->low > 0;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'verdict' => $this->verdict()->value,
            'ratio' => is_finite($this->ratio) ? $this->ratio : null,
            'low' => $this->isBounded() ? $this->low : null,
            'high' => $this->isBounded() ? $this->high : null,
            'same_within' => is_finite($this->within) ? $this->within : null,
            'effect' => $this->effect,
            'confidence' => $this->confidence,
            'trimmed' => $this->trimmed,
            'spread' => is_finite($this->spread) ? $this->spread : null,
            'sign_flip' => $this->chance,
            'pairs' => $this->pairs,
            'pairs_needed' => $this->pairsNeeded(),
        ];
    }

    /**
     * @param non-empty-list<float> $logs
     *
     * @return array{float, float, int} the mean without the ends, its standard error and the degrees of freedom of that
     */
    private static function middle(array $logs, float $trimmed): array
    {
        sort($logs);
        $n = count($logs);
        $off = (int) ($n * $trimmed);
        $kept = array_slice($logs, $off, $n - 2 * $off);
        $left = count($kept);
        $moved = [...array_fill(0, $off, $kept[0]), ...$kept, ...array_fill(0, $off, $kept[$left - 1])];
        $squares = self::squares($moved, array_sum($moved) / $n);

        return [array_sum($kept) / $left, $left > 1 ? sqrt($squares / ($left * ($left - 1))) : INF, $left - 1];
    }

    /** @param list<float> $values */
    private static function squares(array $values, float $mean): float
    {
        return array_sum(array_map(static fn (float $value): float => ($value - $mean) ** 2, $values));
    }

    private static function log(float $value): float
    {
        return $value > 0 && is_finite($value) ? log($value) : throw new \ValueError('a figure of a block is ' . (is_nan($value) ? 'NAN' : $value) . ': only figures over 0 can be compared');
    }

    /** @param list<float> $logs */
    private static function signFlips(array $logs): float
    {
        $n = count($logs);
        $observed = abs(array_sum($logs)) * (1 - 1e-12);
        $atLeast = 0;
        for ($pattern = 0; $pattern < 1 << $n; $pattern++) {
            $sum = 0.0;
            foreach ($logs as $i => $log) {
                $sum += ($pattern >> $i & 1) === 1 ? -$log : $log;
            }
            $atLeast += abs($sum) >= $observed ? 1 : 0;
        }

        return $atLeast / (1 << $n);
    }
}
