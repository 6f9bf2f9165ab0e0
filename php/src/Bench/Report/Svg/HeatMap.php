<?php

declare(strict_types=1);

namespace Tusk\Bench\Report\Svg;

use Tusk\Bench\Histogram;
use Tusk\Bench\Interval;
use Tusk\Terminal\Units;

/** Latency over time: the darker a cell, the more answers took that long in that moment. */
final class HeatMap
{
    public const SHADES = 9;
    private const CELL = 6.0;
    /** Under 1, so that a single slow answer is seen beside thousands of quick ones. */
    private const GAMMA = 0.38;

    /** @param list<Interval> $intervals */
    public static function draw(array $intervals, float $width, float $height): Canvas
    {
        $canvas = new Canvas($width, $height, left: 60, top: 18);
        $columns = self::columns($intervals, max(8, (int) (($canvas->right - $canvas->left) / self::CELL)));
        $filled = array_filter($columns, static fn (array $column): bool => $column['histogram']->count() > 0);
        $least = min([1_000_000, ...array_map(static fn (array $column): int => max(1, $column['histogram']->percentile(0)), $filled)]);
        $most = max([1000, ...array_map(static fn (array $column): int => $column['histogram']->max(), $filled)]);
        $end = $columns === [] ? 1.0 : $columns[count($columns) - 1]['end'];
        $x = Scale::exact(0.0, $end, $canvas->left, $canvas->right);
        $y = Scale::log($least * 0.9, $most * 1.05, $canvas->bottom, $canvas->top);
        Timeline::phases($canvas, $intervals, $x);
        $canvas->axisLeft($y, Canvas::time(...));
        $rows = max(6, (int) (($canvas->bottom - $canvas->top) / self::CELL));
        $cells = array_map(static fn (array $column): array => self::cells($column['histogram'], $y, $canvas, $rows), $columns);
        $top = max([1, ...array_map(static fn (array $column): int => max([0, ...$column]), $cells)]);
        foreach ($cells as $i => $column) {
            self::column($canvas, $columns[$i], $column, $rows, $top, $x, $y);
        }
        $canvas->axisBottom(Timeline::seconds($x, $end, $canvas->slim()), false);
        foreach ([50 => 'over', 99 => 'over dots'] as $percentile => $class) {
            $canvas->path(self::curve($columns, $percentile, $x, $y), "line $class");
        }

        return $canvas;
    }

    /**
     * @param list<Interval> $intervals
     *
     * @return list<array{start: float, end: float, histogram: Histogram}> at most that many
     */
    private static function columns(array $intervals, int $most): array
    {
        $columns = [];
        foreach (array_chunk($intervals, max(1, (int) ceil(count($intervals) / $most))) as $chunk) {
            $histogram = $chunk[0]->histogram();
            foreach (array_slice($chunk, 1) as $interval) {
                $histogram->merge($interval->histogram());
            }
            $last = $chunk[count($chunk) - 1];
            $columns[] = ['start' => $chunk[0]->start, 'end' => $last->start + $last->length, 'histogram' => $histogram];
        }

        return $columns;
    }

    /** @return array<int, int> counts by row from the bottom */
    private static function cells(Histogram $histogram, Scale $y, Canvas $canvas, int $rows): array
    {
        $cells = [];
        $height = ($canvas->bottom - $canvas->top) / $rows;
        foreach ($histogram->slots() as [$value, $count]) {
            $row = min($rows - 1, (int) floor(($canvas->bottom - $y->at($value)) / $height));
            $cells[$row] = ($cells[$row] ?? 0) + $count;
        }

        return $cells;
    }

    /**
     * @param array{start: float, end: float, histogram: Histogram} $column
     * @param array<int, int>                                       $cells
     */
    private static function column(Canvas $canvas, array $column, array $cells, int $rows, int $top, Scale $x, Scale $y): void
    {
        $left = $x->at($column['start']);
        $width = $x->at($column['end']) - $left;
        $height = ($canvas->bottom - $canvas->top) / $rows;
        foreach ($cells as $row => $count) {
            $shade = max(1, (int) ceil(self::SHADES * ($count / $top) ** self::GAMMA));
            $title = sprintf(
                '%s s: %s answers of %s to %s',
                number_format($column['start'], 0),
                number_format($count),
                Units::duration($y->value($row / $rows)),
                Units::duration($y->value(($row + 1) / $rows)),
            );
            $canvas->rect($left, $canvas->bottom - ($row + 1) * $height, $width - 0.6, $height - 0.6, "heat$shade", $title);
        }
    }

    /**
     * @param list<array{start: float, end: float, histogram: Histogram}> $columns
     *
     * @return list<array{float, float}>
     */
    private static function curve(array $columns, float $percentile, Scale $x, Scale $y): array
    {
        $points = [];
        foreach ($columns as $column) {
            if ($column['histogram']->count() > 0) {
                $points[] = [$x->at(($column['start'] + $column['end']) / 2), $y->at($column['histogram']->percentile($percentile))];
            }
        }

        return $points;
    }
}
