<?php

declare(strict_types=1);

namespace Tusk\Bench\Report\Svg;

use Tusk\Terminal\Units;

/** One drawing: elements in order, with a plot area inside margins. Colours are classes of the page's style. */
final class Canvas
{
    public readonly float $left;
    public readonly float $right;
    public readonly float $top;
    public readonly float $bottom;
    private string $body = '';

    public function __construct(
        public readonly float $width,
        public readonly float $height,
        float $left = 52,
        float $right = 12,
        float $top = 10,
        float $bottom = 28,
    ) {
        $this->left = $left;
        $this->right = $width - $right;
        $this->top = $top;
        $this->bottom = $height - $bottom;
    }

    /** Whether there is little room. */
    public function slim(): bool
    {
        return $this->width < 480;
    }

    public function line(float $x1, float $y1, float $x2, float $y2, string $class): void
    {
        $this->body .= sprintf('<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>', $class, self::n($x1), self::n($y1), self::n($x2), self::n($y2));
    }

    public function rect(float $x, float $y, float $width, float $height, string $class, string $title = '', float $round = 0): void
    {
        $this->body .= sprintf(
            '<rect class="%s" x="%s" y="%s" width="%s" height="%s"%s',
            $class,
            self::n($x),
            self::n($y),
            self::n(max(0.0, $width)),
            self::n(max(0.0, $height)),
            $round > 0 ? ' rx="' . self::n($round) . '"' : '',
        );
        $this->body .= $title === '' ? '/>' : '><title>' . self::escape($title) . '</title></rect>';
    }

    public function circle(float $x, float $y, float $radius, string $class, string $title = ''): void
    {
        $this->body .= sprintf('<circle class="%s" cx="%s" cy="%s" r="%s"><title>%s</title></circle>', $class, self::n($x), self::n($y), self::n($radius), self::escape($title));
    }

    /** @param string $anchor start, middle or end */
    public function text(float $x, float $y, string $text, string $class = 'tick', string $anchor = 'start'): void
    {
        $this->body .= sprintf('<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>', $class, self::n($x), self::n($y), $anchor, self::escape($text));
    }

    /** @param list<array{float, float}> $points */
    public function path(array $points, string $class): void
    {
        if (count($points) > 1) {
            $this->body .= "<path class=\"$class\" d=\"" . self::d($points) . '"/>';
        }
    }

    /**
     * The area between points and a height.
     *
     * @param list<array{float, float}> $points
     */
    public function area(array $points, float $base, string $class, string $title = ''): void
    {
        if (count($points) > 1) {
            $this->body .= sprintf(
                '<path class="%s" d="%sL%s %sL%s %sZ">%s</path>',
                $class,
                self::d($points),
                self::n($points[count($points) - 1][0]),
                self::n($base),
                self::n($points[0][0]),
                self::n($base),
                $title === '' ? '' : '<title>' . self::escape($title) . '</title>',
            );
        }
    }

    /** @param \Closure(float): string $label */
    public function axisLeft(Scale $scale, \Closure $label, int $most = 6): void
    {
        foreach ($scale->ticks($most) as $tick) {
            $y = $scale->at($tick);
            $this->line($this->left, $y, $this->right, $y, 'grid');
            $this->text($this->left - 8, $y + 4, $label($tick), 'tick', 'end');
        }
    }

    /** @param array<string, float> $ticks places by label */
    public function axisBottom(array $ticks, bool $grid = true): void
    {
        $last = -INF;
        foreach ($ticks as $label => $x) {
            $half = 3.6 * mb_strwidth((string) $label);
            if ($grid) {
                $this->line($x, $this->top, $x, $this->bottom, 'grid');
            }
            if ($x - $half > $last) {
                $anchor = $x + $half > $this->width ? 'end' : 'middle';
                $this->text($anchor === 'end' ? $this->width : $x, $this->bottom + 18, (string) $label, 'tick', $anchor);
                $last = $x + $half + 6;
            }
        }
    }

    public function svg(string $class, string $label): string
    {
        return sprintf(
            '<svg class="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">%s</svg>',
            $class,
            self::n($this->width),
            self::n($this->height),
            self::escape($label),
            $this->body,
        );
    }

    /** A round time on an axis: `1 ms`, where a measured one is `1.00 ms`. */
    public static function time(float $nanoseconds): string
    {
        return (string) preg_replace(['~\.0+ ~', '~(\.\d*[1-9])0+ ~'], [' ', '$1 '], Units::duration($nanoseconds));
    }

    public static function escape(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8');
    }

    private static function n(float $value): string
    {
        return rtrim(rtrim(sprintf('%.1f', $value), '0'), '.');
    }

    /** @param list<array{float, float}> $points */
    private static function d(array $points): string
    {
        $d = '';
        foreach ($points as $i => [$x, $y]) {
            $d .= ($i === 0 ? 'M' : 'L') . self::n($x) . ' ' . self::n($y);
        }

        return $d;
    }
}
