<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Bench\Histogram;

/** wsperf's statistics over a histogram's samples in ascending order, each as the highest value of its slot. */
final readonly class Bins
{
    /** @var list<array{int, int}> value and how often, ascending */
    private array $slots;

    public function __construct(private Histogram $histogram)
    {
        // The outermost samples are known exactly.
        $this->slots = array_map(
            static fn (array $slot): array => [max($histogram->min(), min($slot[0], $histogram->max())), $slot[1]],
            $histogram->slots(),
        );
    }

    /** The element at zero-based index floor((n - 1) / 2). */
    public function median(): int
    {
        $n = $this->histogram->count();

        return $n === 0 ? 0 : $this->at(intdiv($n - 1, 2));
    }

    /** Of a sample, with n - 1 as the divisor. */
    public function deviation(): float
    {
        $n = $this->histogram->count();

        return $n < 2 ? 0.0 : $this->histogram->stddev() * sqrt($n / ($n - 1));
    }

    /**
     * Bins of equal population, the remainder in the last one; always as many as were asked for, since commanders print them as columns.
     * Where samples are fewer than bins, all of them are the remainder, and the bins before it are empty.
     *
     * @return list<array{float, int}> mean and upper bound of each, 0 and 0 of an empty one
     */
    public function equal(int $bins): array
    {
        $n = $this->histogram->count();
        if ($bins < 1) {
            return [];
        }
        $size = intdiv($n, $bins);
        $found = $size > 0 ? [] : array_fill(0, $n > 0 ? $bins - 1 : $bins, [0.0, 0]);
        $sum = 0.0;
        $filled = 0;
        foreach ($this->slots as [$value, $times]) {
            while ($times > 0) {
                $room = count($found) === $bins - 1 ? $n - $size * ($bins - 1) - $filled : $size - $filled;
                $taken = min($times, $room);
                $sum += (float) $value * $taken;
                $filled += $taken;
                $times -= $taken;
                if ($taken === $room) {
                    $found[] = [$sum / $filled, $value];
                    [$sum, $filled] = [0.0, 0];
                }
            }
        }

        return $found;
    }

    /** @return list<int> nanoseconds, ascending */
    public function samples(): array
    {
        $samples = [];
        foreach ($this->slots as [$value, $times]) {
            array_push($samples, ...array_fill(0, $times, $value));
        }

        return $samples;
    }

    private function at(int $index): int
    {
        foreach ($this->slots as [$value, $times]) {
            if (($index -= $times) < 0) {
                return $value;
            }
        }

        return $this->histogram->max();
    }
}
