<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

/** Ratios as bars, an SVG for light and dark pages: a bar for each machine, its interval as a line, the target as a mark. */
final class Bars
{
    private const LEFT = 370;
    private const WIDTH = 900;
    private const BAR = 11;
    private const TOP = 64;
    private const STYLE = 'text{font:13px system-ui,sans-serif;fill:#24292f}.small{font-size:11px;fill:#57606a}.a{fill:#2f6fde}.b{fill:#d9822b}.c{fill:#2e9e6b}'
        . 'line{stroke:#57606a}.grid{stroke:#d0d7de}.one{stroke:#24292f;stroke-width:1.5}.target{stroke:#cf222e;stroke-width:2.5}'
        . '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9aa4af}.a{fill:#6ea8fe}.b{fill:#f0a860}.c{fill:#56c596}line{stroke:#9aa4af}.grid{stroke:#373e47}.one{stroke:#e6edf3}.target{stroke:#ff7b72}}';

    /** @param array<string, array{float, array<string, array{float, float, float}>}> $rows as Figures::ratios() gives them */
    public static function svg(string $title, array $rows): string
    {
        $machines = [];
        $most = 1.0;
        foreach ($rows as [$target, $ratios]) {
            $machines += array_flip(array_keys($ratios));
            $most = max($most, $target, ...array_map(static fn (array $ratio): float => min($ratio[2], $ratio[0] * 1.5), array_values($ratios)));
        }
        $machines = array_flip(array_keys($machines));
        $right = ceil($most * 4) / 4;
        $x = static fn (float $ratio): string => sprintf('%.1f', self::LEFT + min($ratio, $right) / $right * (self::WIDTH - self::LEFT - 60));
        $slot = count($machines) * (self::BAR + 1) + 10;
        $bottom = self::TOP + count($rows) * $slot;
        $svg = sprintf('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%1$d" height="%2$d" role="img" aria-label="%s"><style>%s</style>', self::WIDTH, $bottom + 24, htmlspecialchars($title), self::STYLE);
        $svg .= sprintf("\n<text x=\"8\" y=\"22\" font-weight=\"600\">%s</text>", htmlspecialchars($title));
        foreach (array_keys($machines) as $i => $machine) {
            $svg .= sprintf("\n<rect class=\"%s\" x=\"%d\" y=\"36\" width=\"11\" height=\"11\"/><text class=\"small\" x=\"%d\" y=\"46\">%s</text>", 'abc'[$i % 3], 8 + $i * 90, 24 + $i * 90, htmlspecialchars($machine));
        }
        $svg .= sprintf("\n<line class=\"target\" x1=\"%d\" x2=\"%1\$d\" y1=\"35\" y2=\"48\"/><text class=\"small\" x=\"%d\" y=\"46\">target</text>", 8 + count($machines) * 90, 16 + count($machines) * 90);
        for ($grid = 0.0; $grid <= $right; $grid += $right > 3 ? 1.0 : 0.25) {
            $svg .= sprintf("\n<line class=\"%s\" x1=\"%s\" x2=\"%2\$s\" y1=\"%d\" y2=\"%d\"/><text class=\"small\" x=\"%2\$s\" y=\"%d\" text-anchor=\"middle\">%s</text>", $grid === 1.0 ? 'one' : 'grid', $x($grid), self::TOP - 6, $bottom, $bottom + 16, rtrim(rtrim(sprintf('%.2f', $grid), '0'), '.'));
        }
        $y = self::TOP;
        foreach ($rows as $label => [$target, $ratios]) {
            $svg .= sprintf("\n<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>", self::LEFT - 8, $y + ($slot - 10) / 2 + 4, htmlspecialchars(str_replace('`', '', $label)));
            foreach ($ratios as $machine => [$ratio, $lower, $upper]) {
                $top = $y + $machines[$machine] * (self::BAR + 1);
                $svg .= sprintf("\n<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>", 'abc'[$machines[$machine] % 3], self::LEFT, $top, (float) $x($ratio) - self::LEFT, self::BAR);
                $svg .= sprintf('<line x1="%s" x2="%s" y1="%3$.1f" y2="%3$.1f"/>', $x($lower), $x($upper), $top + self::BAR / 2);
                $svg .= sprintf('<text class="small" x="%d" y="%d" text-anchor="end">%.2f</text>', self::WIDTH - 8, $top + self::BAR - 1, $ratio);
            }
            if ($target > 0.0) {
                $svg .= sprintf('<line class="target" x1="%s" x2="%1$s" y1="%d" y2="%d"/>', $x($target), $y - 1, $y + $slot - 10);
            }
            $y += $slot;
        }

        return "$svg\n</svg>\n";
    }
}
