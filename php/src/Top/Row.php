<?php

declare(strict_types=1);

namespace Tusk\Top;

/** One target or route. */
final readonly class Row
{
    /**
     * @param array<string, float>                        $values    by name: gauges, and counters since the start
     * @param array<string, float|null>                   $rates     in a second
     * @param array<string, array{p50: float, p99: float}> $quantiles seconds
     */
    public function __construct(public string $name, public array $values, public array $rates, public array $quantiles) {}

    public function up(): bool
    {
        return ($this->values['up'] ?? 1.0) > 0;
    }

    public function value(string $name): float
    {
        return $this->values[$name] ?? 0.0;
    }

    public function rate(string $name): ?float
    {
        return $this->rates[$name] ?? null;
    }

    /** The sum of some counters' rates; null without an earlier sample. */
    public function rateOf(string ...$names): ?float
    {
        $rates = array_filter(array_map($this->rate(...), $names), static fn (?float $rate): bool => $rate !== null);

        return $rates === [] ? null : array_sum($rates);
    }
}
