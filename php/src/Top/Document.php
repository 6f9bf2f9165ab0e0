<?php

declare(strict_types=1);

namespace Tusk\Top;

/** A view as an array for programs; its names are stable. */
final class Document
{
    /** @return array<string, mixed> rates are null without an earlier sample */
    public static function of(View $view, string $from): array
    {
        $now = $view->now;

        return [
            'url' => $from,
            'at' => round($now->at, 3),
            'seconds' => round($view->seconds, 3),
            'kind' => $now->kind,
            'draining' => $now->value('draining') > 0,
            'gauges' => self::numbers(array_diff_key($now->values, $now->counters)),
            'totals' => self::numbers(array_intersect_key($now->values, $now->counters)),
            'rates' => $view->before === null ? null : self::numbers($view->rates()),
            'limits' => array_map(self::limit(...), $view->limits()),
            'trouble' => array_column($view->trouble(), 'name'),
            'targets' => array_map(static fn (Row $row): array => ['name' => mb_scrub($row->name), 'up' => $row->up()] + self::row($row), $view->rows('target')),
            'routes' => array_map(static fn (Row $row): array => ['name' => mb_scrub($row->name)] + self::row($row), $view->rows('route')),
        ];
    }

    /**
     * @param array{name: string, used: float, limit: float, share: float} $limit
     *
     * @return array<string, mixed>
     */
    private static function limit(array $limit): array
    {
        return ['name' => mb_scrub($limit['name']), 'used' => (int) $limit['used'], 'limit' => (int) $limit['limit'], 'share' => round($limit['share'], 4)];
    }

    /** @return array<string, mixed> */
    private static function row(Row $row): array
    {
        return [
            'values' => self::numbers(array_diff_key($row->values, ['up' => 0])),
            'rates' => self::numbers(array_filter(array_diff_key($row->rates, ['up' => 0, 'active' => 0]), is_float(...))),
            'seconds' => array_map(static fn (array $q): array => array_map(static fn (float $s): ?float => is_infinite($s) ? null : $s, $q), $row->quantiles) ?: new \stdClass(),
        ];
    }

    /**
     * @param array<string, float> $values
     *
     * @return array<string, int|float>|\stdClass
     */
    private static function numbers(array $values): array|\stdClass
    {
        return array_map(static fn (float $value): int|float => $value === floor($value) && abs($value) < 2 ** 53 ? (int) $value : round($value, 3), $values) ?: new \stdClass();
    }
}
