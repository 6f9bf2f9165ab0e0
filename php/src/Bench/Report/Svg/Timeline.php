<?php

declare(strict_types=1);

namespace Tusk\Bench\Report\Svg;

use Tusk\Bench\Interval;

/** Figures over the time of a run. */
final class Timeline
{
    /**
     * @param list<Interval>                                                  $intervals
     * @param array<string, array{\Closure(Interval): (float|null), string}>  $lines by name: what to draw, and the class of its colour
     * @param \Closure(float): string                                         $label of the axis
     * @param float|null                                                      $mark  a height to show: a plan, a limit
     */
    public static function draw(array $intervals, array $lines, \Closure $label, float $width, float $height, ?float $mark = null, float $least = 0.0): Canvas
    {
        $canvas = new Canvas($width, $height, left: 60, top: 18);
        $last = $intervals === [] ? null : $intervals[count($intervals) - 1];
        $end = $last === null ? 1.0 : $last->start + $last->length;
        $values = [0.0];
        foreach ($intervals as $interval) {
            foreach ($lines as [$figure]) {
                $values[] = $figure($interval) ?? 0.0;
            }
        }
        $x = Scale::exact(0.0, $end, $canvas->left, $canvas->right);
        $y = Scale::linear(max($least, ($mark ?? 0.0) * 1.05, max($values) * 1.02), $canvas->bottom, $canvas->top);
        self::phases($canvas, $intervals, $x);
        $canvas->axisLeft($y, $label, 5);
        $canvas->axisBottom(self::seconds($x, $end, $canvas->slim()), false);
        foreach (array_values($lines) as $i => [$figure, $class]) {
            $points = self::steps($intervals, $figure, $x, $y);
            if ($i === 0) {
                $canvas->area($points, $canvas->bottom, "area $class");
            }
            $canvas->path($points, "line $class");
        }
        if ($mark !== null) {
            $canvas->line($canvas->left, $y->at($mark), $canvas->right, $y->at($mark), 'mark');
        }

        return $canvas;
    }

    /**
     * Marks where seconds had errors, at the foot of a drawing.
     *
     * @param list<Interval>           $intervals
     * @param \Closure(Interval): int  $errors
     */
    public static function errors(Canvas $canvas, array $intervals, \Closure $errors): void
    {
        $last = $intervals === [] ? null : $intervals[count($intervals) - 1];
        $x = Scale::exact(0.0, $last === null ? 1.0 : $last->start + $last->length, $canvas->left, $canvas->right);
        foreach ($intervals as $interval) {
            $n = $errors($interval);
            if ($n > 0) {
                $left = $x->at($interval->start);
                $width = max(2.0, $x->at($interval->start + $interval->length) - $left);
                $canvas->rect($left, $canvas->bottom - 5, $width, 5, 'bad', sprintf('%.0f s: %s errors', $interval->start, number_format($n)));
            }
        }
    }

    /**
     * What is not the measuring window lies in a shade, with its name.
     *
     * @param list<Interval> $intervals
     */
    public static function phases(Canvas $canvas, array $intervals, Scale $x): void
    {
        $start = null;
        foreach ($intervals as $i => $interval) {
            $start ??= $interval->start;
            $next = $intervals[$i + 1] ?? null;
            if ($next !== null && $next->phase === $interval->phase) {
                continue;
            }
            if ($interval->phase !== 'measure') {
                $left = $x->at($start);
                $width = $x->at($interval->start + $interval->length) - $left;
                $canvas->rect($left, $canvas->top, $width, $canvas->bottom - $canvas->top, 'shade', $interval->phase);
                if ($width > 7.0 * strlen($interval->phase)) {
                    $canvas->text($left + $width / 2, $canvas->top - 5, $interval->phase, 'tick', 'middle');
                }
            }
            $start = null;
        }
    }

    /** @return array<string, float> */
    public static function seconds(Scale $x, float $end, bool $slim): array
    {
        $ticks = [];
        foreach (Scale::exact(0.0, $end, 0.0, 1.0)->ticks($slim ? 5 : 9) as $tick) {
            $ticks[self::time($tick, $end)] = $x->at($tick);
        }

        return $ticks;
    }

    private static function time(float $seconds, float $end): string
    {
        if ($end >= 600) {
            return sprintf('%d:%02d', intdiv((int) $seconds, 60), (int) $seconds % 60);
        }

        return rtrim(rtrim(sprintf('%.1f', $seconds), '0'), '.') . ' s';
    }

    /**
     * @param list<Interval>                     $intervals
     * @param \Closure(Interval): (float|null)   $figure
     *
     * @return list<array{float, float}>
     */
    private static function steps(array $intervals, \Closure $figure, Scale $x, Scale $y): array
    {
        $points = [];
        foreach ($intervals as $interval) {
            $value = $figure($interval);
            if ($value !== null) {
                $points[] = [$x->at($interval->start), $y->at($value)];
                $points[] = [$x->at($interval->start + $interval->length), $y->at($value)];
            }
        }

        return $points;
    }
}
