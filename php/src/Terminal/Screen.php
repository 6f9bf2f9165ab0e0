<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** Help that fits one screen of 100 columns. */
final class Screen
{
    private const WIDTH = 100;

    /** @param list<array{string, string}> $rows option and what it does */
    public static function rows(array $rows, int $column = 0): string
    {
        $column = $column > 0 ? $column : 2 + max([0, ...array_map(static fn (array $row): int => $row[1] === '' ? 0 : mb_strwidth($row[0]), $rows)]);
        $text = '';
        foreach ($rows as [$option, $does]) {
            $text .= rtrim(sprintf("  %s%s%s", $option, str_repeat(' ', max(1, $column - mb_strwidth($option))), $does)) . "\n";
        }

        return $text;
    }

    public static function fits(string $screen, int $width = self::WIDTH): bool
    {
        $lines = explode("\n", rtrim($screen));

        return count($lines) <= 50 && max(array_map(mb_strwidth(...), $lines)) <= $width;
    }
}
