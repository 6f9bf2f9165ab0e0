<?php

declare(strict_types=1);

namespace Tusk\Top;

/** What two samples say of the time between them. */
final readonly class View
{
    /** Counters that say that something was refused, cut or lost; `…` stands for any letters. */
    private const TROUBLE = '~refused|timeout|fail|ejection|exhausted|errors|_closed|dropped|killed|crashes|_5xx|too_big|out_of_memory|_cut|bad_|truncated|starved|slow_handlers|over_bytes|invalid|stale|resets|saturated|pool_full|queue_waits|rate_paused|unfinished_paused~';

    public float $seconds;

    /** @param Sample|null $before null: there are no rates */
    public function __construct(public Sample $now, public ?Sample $before)
    {
        $this->seconds = $before === null ? 0.0 : max(0.001, $now->clock - $before->clock);
    }

    /** Of a counter in a second; null without an earlier sample, or where the process is another one by now. */
    public function rate(string $name): ?float
    {
        return $this->difference($this->now->values[$name] ?? null, $this->before->values[$name] ?? null);
    }

    /** @return array<string, float> */
    public function rates(): array
    {
        $rates = [];
        foreach (array_keys($this->now->counters) as $name) {
            $rate = $this->rate($name);
            $rates += $rate === null ? [] : [$name => $rate];
        }

        return $rates;
    }

    /**
     * How much of each limit that has a bound is used, the fullest first.
     *
     * @return list<array{name: string, used: float, limit: float, share: float}>
     */
    public function limits(): array
    {
        $limits = [];
        foreach ($this->now->labelled['limit'] ?? [] as $name => $has) {
            if (($has['bound'] ?? 0.0) > 0.0) {
                $used = $has['used'] ?? ($name === 'perTarget' ? $this->fullestTarget() : 0.0);
                $limits[] = ['name' => (string) $name, 'used' => $used, 'limit' => $has['bound'], 'share' => $used / $has['bound']];
            }
        }
        usort($limits, static fn (array $a, array $b): int => $b['share'] <=> $a['share']);

        return $limits;
    }

    private function fullestTarget(): float
    {
        return max([0.0, ...array_column($this->now->labelled['target'] ?? [], 'active')]);
    }

    /**
     * Counters of refusals, time-outs and losses that are not 0, those that rise now first.
     *
     * @return list<array{name: string, total: float, rate: float|null}>
     */
    public function trouble(): array
    {
        $trouble = [];
        foreach (array_keys($this->now->counters) as $name) {
            if ($this->now->values[$name] > 0 && preg_match(self::TROUBLE, $name) === 1) {
                $trouble[] = ['name' => $name, 'total' => $this->now->values[$name], 'rate' => $this->rate($name)];
            }
        }
        usort($trouble, static fn (array $a, array $b): int => [$b['rate'] ?? 0.0, $b['total']] <=> [$a['rate'] ?? 0.0, $a['total']]);

        return $trouble;
    }

    /**
     * Targets or routes: those that are down first, then by sessions a second and connections.
     *
     * @param 'target'|'route' $label
     *
     * @return list<Row>
     */
    public function rows(string $label): array
    {
        $rows = [];
        foreach ($this->now->labelled[$label] ?? [] as $name => $values) {
            $before = $this->before?->labelled[$label][$name] ?? [];
            $rates = [];
            foreach ($values as $what => $value) {
                $rates[$what] = $this->difference($value, $before[$what] ?? ($this->before === null ? null : 0.0));
            }
            $rows[] = new Row((string) $name, $values, $rates, $this->quantiles($label, (string) $name));
        }
        usort($rows, static fn (Row $a, Row $b): int => [$a->up() ? 1 : 0, $b->rate('sessions') ?? 0.0, $b->value('active'), $a->name]
            <=> [$b->up() ? 1 : 0, $a->rate('sessions') ?? 0.0, $a->value('active'), $b->name]);

        return $rows;
    }

    /**
     * Upper bounds of the median and the 99th percentile, of what happened between the samples; of all where that is nothing.
     *
     * @return array<string, array{p50: float, p99: float}> by the histogram's name, in seconds; INF past the last bound
     */
    private function quantiles(string $label, string $name): array
    {
        $quantiles = [];
        foreach ($this->now->histograms[$label][$name] ?? [] as $what => $buckets) {
            $before = $this->before?->histograms[$label][$name][$what] ?? [];
            $between = [];
            foreach ($buckets as $bound => $count) {
                $between[$bound] = $count - ($before[$bound] ?? 0.0);
            }
            $buckets = min([1.0, ...$between]) >= 0 && max([0.0, ...$between]) > 0 ? $between : $buckets;
            if (max([0.0, ...$buckets]) > 0) {
                $quantiles[$what] = ['p50' => self::quantile($buckets, 0.5), 'p99' => self::quantile($buckets, 0.99)];
            }
        }

        return $quantiles;
    }

    /** @param array<int|string, float> $buckets counts up to each bound */
    private static function quantile(array $buckets, float $part): float
    {
        $wanted = $part * max([0.0, ...$buckets]);
        foreach ($buckets as $bound => $count) {
            if ($count >= $wanted) {
                return is_numeric($bound) ? (float) $bound : INF;
            }
        }

        return INF;
    }

    private function difference(?float $now, ?float $before): ?float
    {
        return $now === null || $before === null || $now < $before ? null : ($now - $before) / $this->seconds;
    }
}
