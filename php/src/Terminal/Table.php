<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** Rows of text in columns: the first to the left, figures to the right. */
final class Table
{
    /**
     * @param list<list<string>> $rows the first is the head
     * @param list<int>          $left columns that are written to the left
     */
    public static function text(array $rows, string $indent = '  ', array $left = [0]): string
    {
        $widths = [];
        foreach ($rows as $row) {
            foreach ($row as $column => $cell) {
                $widths[$column] = max($widths[$column] ?? 0, mb_strwidth($cell));
            }
        }
        $text = '';
        foreach ($rows as $row) {
            $line = $indent;
            foreach ($row as $column => $cell) {
                $blanks = str_repeat(' ', $widths[$column] - mb_strwidth($cell));
                $line .= ($column === 0 ? '' : '  ') . (in_array($column, $left, true) ? $cell . $blanks : $blanks . $cell);
            }
            $text .= rtrim($line) . "\n";
        }

        return $text;
    }

    /** @param list<list<string>> $rows the first is the head */
    public static function markdown(array $rows): string
    {
        $lines = array_map(static fn (array $row): string => '| ' . implode(' | ', array_map(Markdown::text(...), $row)) . ' |', $rows);
        array_splice($lines, 1, 0, ['|---|' . str_repeat('--:|', max(0, count($rows[0] ?? []) - 1))]);

        return implode("\n", $lines) . "\n";
    }
}
