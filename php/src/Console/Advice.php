<?php

declare(strict_types=1);

namespace Tusk\Console;

use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Tusk\Terminal\OneScreen;

/** What is said of a command line that is none: what was probably meant, and whose --help tells more. */
final readonly class Advice
{
    /** Commands whose third word is one, too: `bench tcp rr`. */
    private const THREE_WORDS = 'tcp-';

    private function __construct(public string $said, public string $next) {}

    /**
     * @param list<string>  $words    what was typed, the command's name first ("bench:http")
     * @param list<string>  $commands names of all commands
     * @param Command|null  $command  the one that was named, where there is one
     */
    public static function on(ExceptionInterface $fault, array $words, array $commands, ?Command $command): self
    {
        if ($command === null) {
            return new self(self::wrongVerb($words[0] ?? '', $commands) ?? $fault->getMessage(), 'Try `tusk help`.');
        }
        $lacks = self::lacks($fault->getMessage(), $command);
        $said = self::wrongMode($words, $commands) ?? self::superfluous($fault->getMessage(), $command) ?? $lacks ?? $fault->getMessage() . self::meant($fault->getMessage(), $words, $command);
        $usage = $said === $lacks ? self::usage($command) : '';

        return new self($said, $usage . 'Try `tusk ' . self::typed((string) $command->getName()) . ' --help`.');
    }

    /**
     * `sevre FILE`
     *
     * @param list<string> $commands
     */
    private static function wrongVerb(string $verb, array $commands): ?string
    {
        if ($verb === '' || in_array($verb, $commands, true)) {
            return null;
        }
        $verbs = array_values(array_unique(array_map(static fn (string $name): string => explode(':', $name)[0], $commands)));
        // "ws-echo" without its verb; "run" or "http" may mean anything.
        $mode = array_values(array_filter($commands, static fn (string $name): bool => str_contains($verb, '-') && str_ends_with($name, ":$verb")))[0] ?? null;
        $near = $mode === null ? self::nearest($verb, $verbs) : self::typed($mode);

        return "there is no \"tusk $verb\"" . ($near === null ? '' : ", did you mean \"tusk $near\"?");
    }

    /** A word too many, where a command takes options only: it says so in the console's words, with its name as people do not type it. */
    private static function superfluous(string $said, Command $command): ?string
    {
        if (preg_match('~^No arguments expected for "[^"]*" command, got (.*?)\.?$~s', $said, $m) !== 1) {
            return null;
        }

        return '"tusk ' . self::typed((string) $command->getName()) . "\" takes options only, not $m[1]";
    }

    /** Words that are missing: which, and what each of them is. */
    private static function lacks(string $said, Command $command): ?string
    {
        if (preg_match('~^Not enough arguments \(missing: "(.*)"\)~', $said, $m) !== 1) {
            return null;
        }
        $words = array_map(static fn (string $name): string => self::argument($name, $command), explode(', ', $m[1]));

        return '"tusk ' . self::typed((string) $command->getName()) . '" needs ' . implode(', and ', $words);
    }

    private static function argument(string $name, Command $command): string
    {
        $about = $command->getDefinition()->hasArgument($name) ? $command->getDefinition()->getArgument($name)->getDescription() : '';

        return strtoupper($name) . ($about === '' ? '' : " ($about)");
    }

    /** How the command is typed, as its own help begins. */
    private static function usage(Command $command): string
    {
        $screen = $command instanceof OneScreen ? $command->screen() : '';

        return preg_match('~^usage: [^\n]+(?:\n {7}[^\n]+)*\n~', $screen, $m) === 1 ? $m[0] : '';
    }

    /**
     * `bench htp URL`: the verb has modes, and the word behind it is none of them, nor a file.
     *
     * @param list<string> $words
     * @param list<string> $commands
     */
    private static function wrongMode(array $words, array $commands): ?string
    {
        [$verb, $mode] = $words + ['', ''];
        $modes = [];
        foreach ($commands as $name) {
            if (str_starts_with($name, "$verb:")) {
                $modes[] = substr($name, strlen($verb) + 1);
            }
        }
        if ($modes === [] || $mode === '' || $mode[0] === '-' || is_file($mode) || (str_ends_with($mode, '.php') && !str_contains($mode, '://'))) {
            return null; // no mode was asked for, or a file
        }
        $near = self::nearest($mode, $modes);

        return "there is no \"tusk $verb $mode\"" . ($near === null ? '; it is one of ' . implode(', ', array_map(self::typed(...), $modes)) : ', did you mean "tusk ' . self::typed("$verb:$near") . '"?');
    }

    /** @param list<string> $words */
    private static function meant(string $said, array $words, Command $command): string
    {
        if (preg_match('~^The "--([\w-]+)" option does not exist~', $said, $m) === 1) {
            $near = self::nearest($m[1], array_keys($command->getDefinition()->getOptions()));

            return $near === null ? '' : " Did you mean --$near?";
        }
        if (preg_match('~^The "--([\w-]+)" option requires a value~', $said, $m) === 1) {
            $value = $words[(int) array_search("--$m[1]", $words, true) + 1] ?? '';

            return str_starts_with($value, '-') ? " One that begins with \"-\" is written --$m[1]=$value" : '';
        }

        return '';
    }

    /**
     * The one that differs by a slip of the fingers, has the same letters, or begins so.
     *
     * @param list<string> $known
     */
    private static function nearest(string $given, array $known): ?string
    {
        $best = null;
        $least = strlen($given) < 4 ? 2 : max(2, intdiv(strlen($given), 3)) + 1;
        foreach ($known as $name) {
            $slip = count_chars($given, 1) === count_chars($name, 1) || (strlen($given) > 2 && str_starts_with($name, $given));
            $distance = $slip ? 1 : levenshtein($given, $name);
            if ($distance < $least) {
                [$best, $least] = [$name, $distance];
            }
        }

        return $best;
    }

    /** As people type it: `bench tcp rr`. */
    private static function typed(string $name): string
    {
        $words = str_replace(':', ' ', $name);

        return preg_replace('~(^| )(' . self::THREE_WORDS . ')~', '$1tcp ', $words) ?? $words;
    }
}
