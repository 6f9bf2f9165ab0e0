<?php

declare(strict_types=1);

namespace Tusk\Bench\Report\Svg;

use Tusk\Bench\Latency;
use Tusk\Terminal\Units;

/** Distributions one above the other on one scale of time: where it goes. */
final class Ridges
{
    private const BINS = 90;
    private const HEIGHT = 46.0;

    /** @param array<string, array{Latency, string}> $rows by name, with the class of their colour */
    public static function draw(array $rows, float $width): Canvas
    {
        $slim = $width < 480;
        $canvas = new Canvas($width, count($rows) * self::HEIGHT + 44, left: $slim ? 92 : 104, right: $slim ? 12 : 120, top: 12);
        $least = min([PHP_INT_MAX, ...array_map(static fn (array $row): int => max(1, $row[0]->min), array_values($rows))]);
        $most = max([1, ...array_map(static fn (array $row): int => $row[0]->max, array_values($rows))]);
        $x = Scale::log($least * 0.8, $most * 1.2, $canvas->left, $canvas->right);
        $ticks = [];
        foreach ($x->ticks($slim ? 5 : 8) as $tick) {
            $ticks[Canvas::time($tick)] = $x->at($tick);
        }
        $canvas->axisBottom($ticks);
        $base = $canvas->top;
        foreach ($rows as $name => [$latency, $class]) {
            $base += self::HEIGHT;
            self::row($canvas, $name, $latency, $class, $base, $x);
        }

        return $canvas;
    }

    private static function row(Canvas $canvas, string $name, Latency $latency, string $class, float $base, Scale $x): void
    {
        $bins = array_fill(0, self::BINS, 0.0);
        $span = $canvas->right - $canvas->left;
        foreach ($latency->histogram->slots() as [$value, $count]) {
            $bin = (int) floor(($x->at(min($value, $latency->max)) - $canvas->left) / $span * self::BINS);
            $bins[min(self::BINS - 1, max(0, $bin))] += $count;
        }
        $bins = self::smooth($bins);
        $top = max([...$bins, 1e-9]);
        $points = [[$canvas->left, $base]];
        foreach ($bins as $bin => $count) {
            // The root lets a tail be seen beside a peak.
            $points[] = [$canvas->left + ($bin + 0.5) / self::BINS * $span, $base - sqrt($count / $top) * (self::HEIGHT - 12)];
        }
        $points[] = [$canvas->right, $base];
        $title = sprintf('%s: p50 %s, p99 %s, most %s', $name, Units::duration($latency->histogram->percentile(50)), $latency->text(99), Units::duration($latency->max));
        $canvas->line($canvas->left, $base, $canvas->right, $base, 'axis');
        $canvas->area($points, $base, "area strong $class", $title);
        $canvas->path($points, "line fine $class");
        $canvas->text($canvas->left - 10, $base - 4, $name, 'label', 'end');
        $median = $latency->histogram->percentile(50);
        $canvas->line($x->at($median), $base, $x->at($median), $base - self::HEIGHT + 12, "stem $class");
        if (!$canvas->slim()) {
            $canvas->text($canvas->right + 10, $base - 17, 'p50 ' . Units::duration($median), 'tick');
            $canvas->text($canvas->right + 10, $base - 3, 'p99 ' . $latency->text(99), 'tick');
        }
    }

    /**
     * @param array<int, float> $bins
     *
     * @return list<float>
     */
    private static function smooth(array $bins): array
    {
        $smooth = [];
        foreach (array_keys($bins) as $i) {
            $smooth[] = (($bins[$i - 1] ?? 0.0) + 2 * $bins[$i] + ($bins[$i + 1] ?? 0.0)) / 4;
        }

        return $smooth;
    }
}
