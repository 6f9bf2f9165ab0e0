<?php

declare(strict_types=1);

namespace Tusk\Bench\Report\Svg;

/** Maps values to places on an axis. */
final readonly class Scale
{
    private function __construct(
        private float $low,
        private float $high,
        private float $from,
        private float $to,
        private bool $log,
    ) {}

    /** From 0 to a round number over $high. */
    public static function linear(float $high, float $from, float $to): self
    {
        $high = max($high, 1e-9);
        $step = self::step($high);

        return new self(0.0, ceil($high / $step - 1e-9) * $step, $from, $to, false);
    }

    /** Values that are next to each other as they are. */
    public static function exact(float $low, float $high, float $from, float $to): self
    {
        return new self($low, max($high, $low + 1e-9), $from, $to, false);
    }

    /** Equal ratios at equal distances. */
    public static function log(float $low, float $high, float $from, float $to): self
    {
        $low = max($low, 1.0);

        return new self($low, max($high, $low * 2), $from, $to, true);
    }

    public function at(float $value): float
    {
        $share = $this->log
            ? log(max($value, $this->low) / $this->low) / log($this->high / $this->low)
            : ($value - $this->low) / ($this->high - $this->low);

        return $this->from + max(0.0, min(1.0, $share)) * ($this->to - $this->from);
    }

    /** The value at a share of the axis, 0 to 1. */
    public function value(float $share): float
    {
        return $this->log ? $this->low * ($this->high / $this->low) ** $share : $this->low + $share * ($this->high - $this->low);
    }

    /** @return list<float> */
    public function ticks(int $most = 6): array
    {
        if (!$this->log) {
            $step = self::step(($this->high - $this->low) * 6 / max(2, $most));
            $ticks = [];
            for ($tick = ceil($this->low / $step - 1e-9) * $step; $tick <= $this->high + $step * 1e-6; $tick += $step) {
                $ticks[] = $tick;
            }

            return $ticks;
        }
        foreach ([[1.0, 2.0, 5.0], [1.0, 3.0], [1.0]] as $digits) {
            $ticks = [];
            for ($decade = 10 ** floor(log10($this->low)); $decade <= $this->high; $decade *= 10) {
                foreach ($digits as $digit) {
                    if ($decade * $digit >= $this->low * 0.999 && $decade * $digit <= $this->high * 1.001) {
                        $ticks[] = $decade * $digit;
                    }
                }
            }
            if (count($ticks) <= $most) {
                break;
            }
        }

        return $ticks;
    }

    /** A step of 1, 2 or 5 that cuts the range in four to six. */
    private static function step(float $range): float
    {
        $raw = $range / 5;
        $decade = 10 ** floor(log10($raw));
        foreach ([1.0, 2.0, 5.0] as $digit) {
            if ($raw <= $digit * $decade * 1.0001) {
                return $digit * $decade;
            }
        }

        return 10 * $decade;
    }
}
