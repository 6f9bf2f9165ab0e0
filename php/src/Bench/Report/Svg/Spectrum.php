<?php

declare(strict_types=1);

namespace Tusk\Bench\Report\Svg;

use Tusk\Bench\Hgrm;
use Tusk\Bench\Latency;

/** Latency by percentile: every further nine has the room of the one before. */
final class Spectrum
{
    private const TICKS = [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999, 99.99999];

    /** @param array<string, array{Latency, string}> $lines by name, with the class of their colour; the first counts */
    public static function draw(array $lines, float $width, float $height): Canvas
    {
        $canvas = new Canvas($width, $height, left: 60);
        $count = max(10, ...array_map(static fn (array $line): int => $line[0]->count(), array_values($lines)));
        $least = min([PHP_INT_MAX, ...array_map(static fn (array $line): int => max(1, $line[0]->min), array_values($lines))]);
        $most = max([1, ...array_map(static fn (array $line): int => $line[0]->max, array_values($lines))]);
        $x = Scale::exact(0.0, log10($count), $canvas->left, $canvas->right);
        $y = $most / $least > 15 ? Scale::log($least, $most, $canvas->bottom, $canvas->top) : Scale::linear($most, $canvas->bottom, $canvas->top);
        $canvas->axisLeft($y, Canvas::time(...));
        $ticks = [];
        foreach (self::TICKS as $percentile) {
            if (self::nines($percentile) <= log10($count) + 1e-9) {
                $ticks[rtrim(rtrim(sprintf('%.5f', $percentile), '0'), '.') . ' %'] = $x->at(self::nines($percentile));
            }
        }
        $canvas->axisBottom($ticks);
        foreach (array_reverse($lines, true) as $name => [$latency, $class]) {
            self::line($canvas, $latency, $class, $x, $y);
        }

        return $canvas;
    }

    /** Solid as far as samples stand behind it, then dashed. */
    private static function line(Canvas $canvas, Latency $latency, string $class, Scale $x, Scale $y): void
    {
        $solid = $dashed = [];
        $n = $latency->count();
        foreach (Hgrm::rows($latency->histogram, 12) as [$value, $percentile]) {
            $share = min($percentile, 100.0 * (1 - 1 / max(2, $n)));
            $point = [$x->at(self::nines($share)), $y->at(min($value, $latency->max))];
            if ($n * (1 - $share / 100) >= 10) {
                $solid[] = $point;
            } else {
                $dashed[] = $point;
            }
        }
        if ($solid !== [] && $dashed !== []) {
            array_unshift($dashed, $solid[count($solid) - 1]);
        }
        $canvas->path($dashed, "line dashed $class");
        $canvas->path($solid, "line $class");
    }

    /** 90 % is one nine, 99 % two. */
    private static function nines(float $percentile): float
    {
        return -log10(1 - $percentile / 100);
    }
}
