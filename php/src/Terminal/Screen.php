<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** Help on one screen of a terminal: what each command says gets its form here. */
final class Screen
{
    public const WIDTH = 80;
    public const HEIGHT = 30;
    /** A word that stands further to the right leaves too little room beside it. */
    private const COLUMN_MAX = 32;

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

    /**
     * Folds what is wider than a screen: a paragraph as a whole, what an option does below itself, a command to be typed with a "\" at
     * the end of its line. A first line of a usage and what it is for ("usage    what") becomes two.
     */
    public static function page(string $written): string
    {
        $page = [];
        $paragraph = [];
        foreach ([...explode("\n", rtrim($written)), ''] as $line) {
            $flush = $line === '' || $line[0] === ' ';
            if ($flush || str_starts_with($line, 'Exit status: ')) {
                array_push($page, ...self::paragraph($paragraph));
                $paragraph = [];
            }
            if ($flush) {
                array_push($page, ...self::row($line));
            } else {
                $paragraph[] = $line;
            }
        }
        array_pop($page); // of the empty line put behind the last paragraph

        return implode("\n", $page) . "\n";
    }

    public static function fits(string $screen): bool
    {
        return substr_count(rtrim($screen), "\n") < self::HEIGHT && !self::wide(explode("\n", $screen));
    }

    /** @param list<string> $lines */
    private static function wide(array $lines): bool
    {
        return max([0, ...array_map(mb_strwidth(...), $lines)]) > self::WIDTH;
    }

    /**
     * @param list<string> $lines
     *
     * @return list<string>
     */
    private static function paragraph(array $lines): array
    {
        if (!self::wide($lines)) {
            return $lines;
        }
        $split = preg_split('~ {4,}~', $lines[0], 2);
        if ($split !== false && count($split) === 2) { // a usage, and what it is for
            return [...self::folded($split[0], ''), ...self::folded($split[1], ''), ...self::paragraph(array_slice($lines, 1))];
        }

        return self::folded(implode(' ', $lines), str_starts_with($lines[0], 'Exit status: ') ? '  ' : '');
    }

    /** @return list<string> */
    private static function row(string $line): array
    {
        if (!self::wide([$line])) {
            return [$line];
        }
        if (preg_match('~^(  .*?\S {2,})(\S.*)$~u', $line, $m) === 1 && mb_strwidth($m[1]) <= self::COLUMN_MAX) {
            return self::folded($m[2], str_repeat(' ', mb_strwidth($m[1])), $m[1]);
        }
        if (preg_match('~^ *tusk ~', $line) === 1) { // to be typed
            $lines = self::folded(ltrim($line), '      ', '  ', 2);

            return array_map(static fn (string $one, int $i): string => $i < count($lines) - 1 ? "$one \\" : $one, $lines, array_keys($lines));
        }

        return self::folded(ltrim($line), (string) preg_replace('~\S.*~u', '', $line), (string) preg_replace('~\S.*~u', '', $line));
    }

    /** @return list<string> */
    private static function folded(string $text, string $indent, ?string $first = null, int $spare = 0): array
    {
        $lines = [];
        $line = $first ?? '';
        $begun = false;
        foreach (explode(' ', $text) as $word) {
            if ($begun && mb_strwidth("$line $word") > self::WIDTH - $spare) {
                $lines[] = $line;
                $line = $indent;
                $begun = false;
            }
            $line .= ($begun ? ' ' : '') . $word;
            $begun = true;
        }
        $lines[] = $line;

        return $lines;
    }
}
