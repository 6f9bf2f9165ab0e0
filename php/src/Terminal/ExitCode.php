<?php

declare(strict_types=1);

namespace Tusk\Terminal;

/** What the exit status of `tusk` says, the same of every verb. Statuses of a program that `tusk serve` or `tusk proxy FILE` became are its own. */
enum ExitCode: int
{
    case Done = 0;
    case TargetFailed = 1;
    case WrongUsage = 2;
    case OurFault = 3;
    case ThresholdBroken = 4;
    case NotValid = 5;
    case Interrupted = 130;

    public function meaning(): string
    {
        return match ($this) {
            self::Done => 'done',
            self::TargetFailed => 'the target failed',
            self::WrongUsage => 'wrong usage',
            self::OurFault => 'could not run',
            self::ThresholdBroken => 'a threshold is broken',
            self::NotValid => 'not valid',
            self::Interrupted => 'ended by Ctrl-C',
        };
    }

    /** When that is, in a sentence for the reference. */
    public function when(): string
    {
        return match ($this) {
            self::Done => 'all went well; a server or a proxy drained after SIGTERM or SIGINT',
            self::TargetFailed => 'what was looked at did not do: no operation of a load succeeded in its window, a case failed, no metrics were answered, the machine lacks something, a setting was refused',
            self::WrongUsage => 'the command line, a setting, or a file that it names cannot be used; nothing was begun. The message names what to write, or whose `--help` does',
            self::OurFault => 'the port is taken, the extension is not there, the output could not be written (a full disk), or a fault of ours',
            self::ThresholdBroken => '`tusk bench`: `--assert` does not hold; of `tusk bench ab`: B is worse',
            self::NotValid => '`tusk bench`: the result is NOT VALID, or undecided, and `--strict` was given; or an agent or a worker of the load was lost',
            self::Interrupted => '`tusk bench`: ended early by Ctrl-C; what was measured until then is shown and says so',
        };
    }

    /**
     * A line or two for a help. 0, 2 and 3 are every command's.
     *
     * @param array<int, string> $own statuses that this command has besides, or has another word for
     */
    public static function help(array $own = []): string
    {
        $said = $own;
        foreach ([self::Done, self::WrongUsage, self::OurFault] as $common) {
            $said += [$common->value => $common->meaning()];
        }
        ksort($said);
        $each = array_map(static fn (int $status, string $meaning): string => strtr("$status $meaning", ' ', "\0"), array_keys($said), $said);

        return strtr(wordwrap('Exit status: ' . implode(', ', $each), 79, "\n  "), "\0", ' ') . "\n";
    }
}
