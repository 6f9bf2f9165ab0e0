<?php

// SPDX-License-Identifier: MIT

declare(strict_types=1);

namespace Tusk\Tests\Docs;

use Symfony\Component\Console\Input\ArgvInput;
use Tusk\Console\{Application, Argv};

/** Command lines of `tusk` that a page prints: each names a command that there is, with options that it has. */
final class Commands
{
    private static ?Application $application = null;

    /** How many lines that were. */
    public static function check(string $markdown): int
    {
        $count = 0;
        foreach (self::lines($markdown) as [$line, $whole]) {
            $count++;
            try {
                self::parse(self::words($line), $whole);
            } catch (\Exception $e) {
                throw new \LogicException("$line\n" . $e->getMessage());
            }
        }
        return $count;
    }

    /** @return list<array{string, bool}> each from `tusk` to its end, and whether it is one to be typed: code within a sentence may leave arguments out */
    private static function lines(string $markdown): array
    {
        $lines = [];
        preg_match_all('~^```\w*\n(.*?)^```$~ms', $markdown, $blocks);
        foreach (explode("\n", str_replace("\\\n", ' ', implode("\n", $blocks[1]))) as $line) {
            if (preg_match('~^(?:\s*(?:\$ )?|ExecStart=)(?:[\w./]*bin/)?tusk ([a-z-].*)$~', $line, $m) === 1 && !str_contains($line, '[options]')) {
                $lines[] = [(string) preg_replace('~ {2,}(?=[A-Z]).*~', '', $m[1]), true]; // a list tells behind it what it does
            }
        }
        preg_match_all('~`(?:\$ )?(?:[\w./]*bin/)?tusk ([a-z-][^`\n]*)`~', (string) preg_replace('~^```\w*\n.*?^```$~ms', '', $markdown), $spans);
        foreach ($spans[1] as $span) {
            $lines[] = [$span, false];
        }
        return $lines;
    }

    /** @return list<string> those of the shell, up to the line's comment, pipe or next command */
    private static function words(string $line): array
    {
        preg_match_all('~\G\s*((?:\'[^\']*\'|"[^"]*"|[^\s\'"#|&;<>]|(?<=\S)#)+)~', $line, $m);
        return array_map(fn (string $word): string => (string) preg_replace('~\'([^\']*)\'|"([^"]*)"~', '$1$2', $word), $m[1]);
    }

    /** @param list<string> $words */
    private static function parse(array $words, bool $whole): void
    {
        require_once 'php/vendor/autoload.php';
        $application = self::$application ??= Application::create();
        $words = preg_replace('~^--help=\w+$~', '--help', $words); // a topic
        $argv = Argv::join(['tusk', ...$words], array_keys($application->all()));
        if (!$whole && count($words) === 1 && $application->all($words[0]) !== []) {
            return; // `tusk bench`, the whole group
        }
        $first = current(array_filter(array_slice($argv, 1), fn (string $word): bool => !str_starts_with($word, '-')));
        if ($first === false) {
            return; // `tusk --version`
        }
        $command = $application->get($first);
        $command->mergeApplicationDefinition();
        $input = new ArgvInput($argv);
        $input->bind($command->getDefinition());
        if ($whole && !$input->hasParameterOption(['--help', '-h'])) {
            $input->validate();
        }
    }
}
