<?php

// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Dashboard;

use Tusk\Bench\Report\Svg\Canvas;
use Tusk\Bench\Report\Svg\Scale;

/** What ran where and when: a bar for each part, a colour for each process. */
final class Picture
{
    public const STYLE = 'svg{width:100%;font:13px system-ui,sans-serif}.tick{fill:#566172}.grid{stroke:#e4e8ee}.name{fill:#141a24}'
        . '.p0{fill:#2563d9}.p1{fill:#0d8577}.p2{fill:#b86a00}.p3{fill:#7448cf}.p4{fill:#c42f3a}.p5{fill:#17803d}'
        . '.p6{fill:#0b7ea8}.p7{fill:#b0246f}.p8{fill:#5a7a10}.p9{fill:#8a5a2b}.p10{fill:#4a5568}.p11{fill:#7a1f1f}';
    private const COLOURS = 12; // more than a page has parts
    private const ROW = 20;

    /** @param float $span milliseconds that the drawing is wide */
    public static function of(Run $run, float $span, string $label): string
    {
        $canvas = new Canvas(900, 46 + self::ROW * max(1, count($run->parts)), left: 130);
        $x = Scale::exact(0.0, $span, $canvas->left, $canvas->right);
        $ticks = [];
        foreach ($x->ticks(8) as $tick) {
            $ticks[sprintf('%s ms', round($tick, 1) + 0.0)] = $x->at($tick);
        }
        $canvas->axisBottom($ticks);
        $processes = array_values(array_unique(array_map(static fn (Ran $ran): int => $ran->process, $run->parts)));
        foreach ($run->parts as $i => $ran) {
            $y = $canvas->top + $i * self::ROW;
            $from = ($ran->began - $run->began) / 1000;
            $to = ($ran->ended - $run->began) / 1000;
            $canvas->text($canvas->left - 8, $y + 14, $ran->name, 'name', 'end');
            $title = sprintf('%s: %.2f to %.2f ms in process %d', $ran->name, $from, $to, $ran->process);
            $canvas->rect($x->at($from), $y + 3, max(1.0, $x->at($to) - $x->at($from)), self::ROW - 6, 'p' . array_search($ran->process, $processes, true) % self::COLOURS, $title, 3);
        }

        return $canvas->svg('timeline', $label);
    }

    /** Alone, with its colours. */
    public static function file(string $svg): string
    {
        return str_replace('role="img"', 'xmlns="http://www.w3.org/2000/svg" role="img"', (string) preg_replace('~^(<svg[^>]*>)~', '$1<style>' . self::STYLE . '</style>', $svg));
    }
}
