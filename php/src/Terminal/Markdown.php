<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** Values as Markdown shows them (GitHub's): what was typed, or told by a server, becomes no markup. */
final class Markdown
{
    /** In a sentence or a cell of a table; an underscore within a word is none. */
    public static function text(string $text): string
    {
        $text = (string) preg_replace('~[\x00-\x1f\x7f]+~', ' ', $text);

        return (string) preg_replace('~[\\\\`*|\[\]]|<(?=[a-z/!?])|(?<![a-z0-9])_|_(?![a-z0-9])|&(?=#?[a-z0-9]+;)~i', '\\\\$0', $text);
    }

    /** In a line of code: the fence is longer than any run of backticks in it. */
    public static function code(string $text): string
    {
        $text = (string) preg_replace('~[\x00-\x1f\x7f]+~', ' ', $text);
        $fence = str_repeat('`', self::longest($text) + 1);
        $blank = str_starts_with($text, '`') || str_ends_with($text, '`') ? ' ' : '';

        return $fence . $blank . $text . $blank . $fence;
    }

    /** A block of code, with its end of line. */
    public static function block(string $text): string
    {
        $fence = str_repeat('`', max(3, self::longest($text) + 1));

        return "$fence\n$text\n$fence\n";
    }

    private static function longest(string $text): int
    {
        preg_match_all('~`+~', $text, $runs);

        return max([0, ...array_map(strlen(...), $runs[0])]);
    }
}
