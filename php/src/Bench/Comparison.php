<?php

declare(strict_types=1);

namespace Tusk\Bench;

/** Paired blocks of A and B: the ratio B / A with its interval (95 %, unless told otherwise), and a verdict against a least effect. */
final readonly class Comparison
{
    /** Over that many pairs the sign-flip test has too many patterns to try them all. */
    private const FLIPS_MAX = 15;

    /** B divided by A, the geometric mean over the pairs. */
    public float $ratio;
    public float $low;
    public float $high;
    /** Standard deviation of the pairs' logarithms: 0.02 is a spread of 2 %. */
    public float $spread;
    /** Share of the sign patterns that would give at least this effect; null for more than 15 pairs. */
    public ?float $chance;

    /**
     * @param list<array{float, float}> $pairs  A's and B's figure of each pair, over 0
     * @param float                     $effect least effect that counts, 0.02 for 2 %
     * @param float                     $confidence of the interval, 0.95 for 95 %; who looks several times needs more for each look
     */
    public function __construct(public array $pairs, public bool $lowerIsBetter, public float $effect = 0.02, public float $confidence = 0.95)
    {
        if ($pairs === []) {
            throw new \ValueError('no pair to compare');
        }
        $logs = array_map(static fn (array $pair): float => self::log($pair[1]) - self::log($pair[0]), $pairs);
        $n = count($logs);
        $mean = array_sum($logs) / $n;
        $squares = array_sum(array_map(static fn (float $log): float => ($log - $mean) ** 2, $logs));
        $this->spread = $n > 1 ? sqrt($squares / ($n - 1)) : INF;
        $margin = $n > 1 ? Student::quantile($n - 1, $confidence) * $this->spread / sqrt($n) : INF;
        $this->ratio = exp($mean);
        $this->low = exp($mean - $margin);
        $this->high = exp($mean + $margin);
        $this->chance = $n <= self::FLIPS_MAX ? self::signFlips($logs) : null;
    }

    public function verdict(): Verdict
    {
        if ($this->low > 1 - $this->effect && $this->high < 1 + $this->effect) {
            return Verdict::Same;
        }
        $excludes = $this->low > 1 || $this->high < 1;
        if (!$excludes || abs($this->ratio - 1) < $this->effect) {
            return Verdict::Undecided;
        }

        return ($this->ratio < 1) === $this->lowerIsBetter ? Verdict::Better : Verdict::Worse;
    }

    /** Pairs that are needed to see the least effect with 80 % power, from the spread seen here. */
    public function pairsNeeded(): int
    {
        if (!is_finite($this->spread)) {
            return 2;
        }

        return max(2, (int) ceil(((1.96 + 0.84) * $this->spread / log(1 + $this->effect)) ** 2));
    }

    /** Half the width of the interval: what this set-up can tell apart. */
    public function resolution(): float
    {
        return sqrt($this->high / $this->low) - 1;
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'verdict' => $this->verdict()->value,
            'ratio' => $this->ratio,
            'low' => is_finite($this->high) ? $this->low : null,
            'high' => is_finite($this->high) ? $this->high : null,
            'effect' => $this->effect,
            'confidence' => $this->confidence,
            'spread' => is_finite($this->spread) ? $this->spread : null,
            'sign_flip' => $this->chance,
            'pairs' => $this->pairs,
            'pairs_needed' => $this->pairsNeeded(),
        ];
    }

    private static function log(float $value): float
    {
        return $value > 0 ? log($value) : throw new \ValueError("a figure of a block is $value: only figures over 0 can be compared");
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
