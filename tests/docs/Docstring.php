<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

/** What the comments of a PHP file that stand before its classes and methods show: blocks, code within a sentence, command lines of `tusk`. */
final readonly class Docstring
{
    private string $text;

    public function __construct(private string $file)
    {
        preg_match_all('~/\*\*(.*?)\*/~s', (string) file_get_contents($file), $m);
        $this->text = (string) preg_replace('~^\s*\* ?~m', '', implode("\n", $m[1]));
    }

    /** @return list<string> files with comments that show something */
    public static function files(): array
    {
        $files = glob('{php/src,apps/*/src}/{,*/,*/*/,*/*/*/}*.php', GLOB_BRACE) ?: [];
        return array_values(array_filter($files, fn (string $file): bool => preg_match('~/\*\*.*`~s', (string) file_get_contents($file)) === 1));
    }

    /** An example stands there word for word, and is what the class makes of it. */
    public function try(string $example, \Closure $test): void
    {
        if (!str_contains($this->text, $example)) {
            throw new \LogicException("shows no longer\n$example");
        }
        $test($example);
    }

    /**
     * Blocks, and PHP within a sentence, that nobody tries.
     *
     * @param list<string> $tried
     */
    public function checkAllTried(array $tried): void
    {
        preg_match_all('~(?<=\n\n)(?: {4}(?! *[|@]).*\n)+~', $this->text, $blocks);
        preg_match_all('~`([^`\n]*(?:->|::)\w+\([^`\n]*)`|^(\$\w+.*;)$~m', $this->text, $code);
        $shown = array_map(self::block(...), [...$blocks[0], ...array_filter([...$code[1], ...$code[2]])]);
        $missing = array_diff($shown, array_map(self::block(...), $tried));
        if ($missing !== []) {
            throw new \LogicException("tests/docs/docstrings.php does not try\n" . implode("\n", $missing));
        }
    }

    /** @return int how many command lines of `tusk` there were */
    public function checkCommands(): int
    {
        return Commands::check($this->text);
    }

    private static function block(string $text): string
    {
        return trim((string) preg_replace('~^ {4}~m', '', $text));
    }
}
