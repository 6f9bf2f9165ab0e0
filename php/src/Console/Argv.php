<?php

declare(strict_types=1);

namespace Tusk\Console;

/** Rewrites `bench ws-echo URL` to `bench:ws-echo URL`, as symfony/console has no nested commands. */
final class Argv
{
    /** Commands with this beginning have a host of their own at `-h`, as tools for TCP do. */
    private const WITH_HOST = 'bench:tcp-';

    /**
     * The first word that is no option is the verb; when `verb:next` or `verb:next-third` is a known command, the words
     * become one. Options before the verb stay where they are. An option's value is never taken for the second word.
     *
     * @param list<string> $argv     with the program's name first
     * @param list<string> $commands names of all commands
     *
     * @return list<string>
     */
    public static function join(array $argv, array $commands): array
    {
        for ($at = 1; $at < count($argv) && str_starts_with($argv[$at], '-'); $at++) {
            if ($argv[$at] === '--') {
                return $argv;
            }
        }
        $verb = $argv[$at] ?? null;
        $mode = $argv[$at + 1] ?? null;
        $kind = $argv[$at + 2] ?? null;
        if ($verb === 'help') {
            return [...array_slice($argv, 0, $at), ...self::join(array_slice($argv, $at), $commands)]; // its words are a verb's
        }
        foreach (["$verb:$mode-$kind" => 3, "$verb:$mode" => 2, (string) $verb => 1] as $name => $words) {
            if (in_array($name, $commands, true) && $at + $words <= count($argv)) {
                $rest = array_slice($argv, $at + $words);

                return [...array_slice($argv, 0, $at), $name, ...(str_starts_with($name, self::WITH_HOST) ? self::host($rest) : $rest)];
            }
        }

        return $argv;
    }

    /**
     * `-h HOST` and `-hHOST` become `--host`; `-h` alone stays help.
     *
     * @param list<string> $words
     *
     * @return list<string>
     */
    private static function host(array $words): array
    {
        foreach ($words as $i => $word) {
            if ($word === '--') {
                break;
            }
            if ($word === '-h' && isset($words[$i + 1]) && !str_starts_with($words[$i + 1], '-')) {
                $words[$i] = '--host';
            } elseif (str_starts_with($word, '-h') && strlen($word) > 2) {
                $words[$i] = '--host=' . substr($word, 2);
            }
        }

        return $words;
    }
}
