<?php

declare(strict_types=1);

namespace Tusk\Bench;

use Tusk\Terminal\Units;

/** A histogram of nanoseconds and what a result says about it. */
final readonly class Latency
{
    public int $min;
    public int $max;
    public float $mean;
    public float $stddev;

    /** @param array{int, int, float, float}|null $exact least, most, mean and deviation, which the packed form does not keep exactly */
    public function __construct(public Histogram $histogram, ?array $exact = null)
    {
        [$this->min, $this->max, $this->mean, $this->stddev]
            = $exact ?? [$histogram->min(), $histogram->max(), round($histogram->mean(), 1), round($histogram->stddev(), 1)];
    }

    public function count(): int
    {
        return $this->histogram->count();
    }

    /** Null where too few samples stand behind it. */
    public function percentile(float $percentile): ?int
    {
        return $this->histogram->supports($percentile) ? min($this->max, $this->histogram->percentile($percentile)) : null;
    }

    /** The percentile as people read it: `-` where too few samples stand behind it. */
    public function text(float $percentile): string
    {
        $value = $this->percentile($percentile);

        return $value === null ? '-' : Units::duration($value);
    }

    /** @return array<string, int|float|string|null> */
    public function toArray(): array
    {
        $values = ['count' => $this->count()];
        if ($this->count() > 0) {
            $values += [
                'min' => $this->min,
                'mean' => $this->mean,
                'stddev' => $this->stddev,
            ];
            foreach (Percentiles::SHOWN as $name => $percentile) {
                $values[$name] = $this->percentile($percentile);
            }
            $values['max'] = $this->max;
            $values['saturated'] = $this->histogram->saturated();
        }

        return $values + ['hdr' => Hdr::pack($this->histogram)];
    }

    /** @throws BadFile */
    public static function fromFields(Fields $fields): self
    {
        try {
            $exact = $fields->int('count') === 0 ? null
                : [$fields->int('min'), $fields->int('max'), $fields->float('mean'), $fields->float('stddev')];

            return new self(Hdr::unpack($fields->string('hdr')), $exact);
        } catch (\ValueError $fault) {
            throw new BadFile("hdr: {$fault->getMessage()}", previous: $fault);
        }
    }
}
