<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

/** What one machine gave for a scenario and a peer: medians, and the ratio of the paired rounds with its interval. */
final readonly class Figure
{
    private function __construct(
        public Scenario $scenario,
        public string $peer,
        public float $ours,
        public ?float $theirs,
        public float $ratio,
        public float $lower,
        public float $upper,
    ) {
    }

    /**
     * @param array<int, array<string, mixed>>      $ours   by round, as Report keeps them
     * @param array<int, array<string, mixed>>|null $theirs null: the subject alone
     */
    public static function ofRounds(Scenario $scenario, string $peer, array $ours, ?array $theirs): ?self
    {
        $ours = self::values($scenario, $ours);
        $theirs = $theirs === null ? null : self::values($scenario, $theirs);
        if ($ours === [] || $theirs === []) {
            return null;
        }
        $paired = $theirs === null ? null : Statistics::paired($ours, $theirs, $scenario->less);

        return new self($scenario, $peer, Statistics::median($ours), $theirs === null ? null : Statistics::median($theirs), $paired->ratio ?? NAN, $paired->lower ?? NAN, $paired->upper ?? NAN);
    }

    /**
     * Of a run whose rounds were not kept. An interval is as wide above as below, in logarithms.
     *
     * @param array{ours: list<float|int>, theirs?: list<float|int>, ratio?: float|int, lower?: float|int} $row median, least, greatest
     */
    public static function ofRow(Scenario $scenario, string $peer, array $row): self
    {
        $ratio = (float) ($row['ratio'] ?? NAN);
        $lower = (float) ($row['lower'] ?? NAN);

        return new self($scenario, $peer, (float) $row['ours'][0], isset($row['theirs']) ? (float) $row['theirs'][0] : null, $ratio, $lower, $ratio * $ratio / $lower);
    }

    /** "273k / 284k", with the unit where it is no rate. */
    public function medians(): string
    {
        $unit = $this->scenario->unit === '/CPU-s' ? '' : " {$this->scenario->unit}";

        return Row::number($this->ours) . ($this->theirs === null ? '' : ' / ' . Row::number($this->theirs)) . $unit;
    }

    /** "**0.981** (0.952)": the ratio, and the least it is likely to be. */
    public function ratio(): string
    {
        return is_nan($this->ratio) ? '' : sprintf('**%.2f** (%.2f)%s', $this->ratio, $this->lower, $this->mark());
    }

    /** Empty where nothing is asked of it. */
    public function mark(): string
    {
        $target = $this->scenario->targets[$this->peer] ?? 0.0;
        if ($this->peer === '') {
            return $this->scenario->limit === null ? '' : ($this->ours <= $this->scenario->limit ? ' ✓' : ' ✗');
        }

        return $target <= 0.0 ? '' : match (true) {
            $this->lower >= $target => ' ✓',
            $this->upper < $target => ' ✗',
            default => ' ?',
        };
    }

    public function target(): string
    {
        $target = $this->scenario->targets[$this->peer] ?? 0.0;

        return $this->peer === '' ? ($this->scenario->limit === null ? '' : '≤ ' . Row::number($this->scenario->limit)) : ($target > 0.0 ? sprintf('%.2f', $target) : '');
    }

    /**
     * @param array<int, array<string, mixed>> $runs
     *
     * @return array<int, float>
     */
    private static function values(Scenario $scenario, array $runs): array
    {
        $values = [];
        foreach ($runs as $round => $run) {
            $value = $run[str_starts_with($scenario->metric, 'latency_us/') ? substr($scenario->metric, 11) . '_us' : $scenario->metric] ?? null;
            if (is_int($value) || is_float($value)) {
                $values[$round] = (float) $value;
            }
        }

        return $values;
    }
}
