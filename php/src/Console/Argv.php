<?php

declare(strict_types=1);

namespace Tusk\Console;

/** Rewrites `bench ws-echo HOST` to `bench:ws-echo HOST`, as symfony/console has no nested commands. */
final class Argv
{
    /**
     * The first word that is no option is the verb; when `verb:next` is a known command, the two become one. Options
     * before the verb stay where they are. An option's value is never taken for the second word.
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
        if ($verb === null || $mode === null || !in_array("$verb:$mode", $commands, true)) {
            return $argv;
        }

        return [...array_slice($argv, 0, $at), "$verb:$mode", ...array_slice($argv, $at + 2)];
    }
}
