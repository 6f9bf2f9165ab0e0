<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Bench\Result;

/** What the exit status of `tusk bench` says; the first four are every verb's. */
enum Ending: int
{
    case Done = 0;
    /** Not one operation ended well. */
    case TargetFailed = 1;
    case WrongUsage = 2;
    case OurFault = 3;
    case ThresholdBroken = 4;
    /** Only with --strict; always when a part of the generator was lost. */
    case NotValid = 5;
    case Interrupted = 130;

    /** @param bool $interrupted by Ctrl-C */
    public static function of(Result $result, bool $strict, bool $interrupted = false): self
    {
        $broken = array_filter($result->thresholds, static fn (\Tusk\Bench\Outcome $outcome): bool => !$outcome->holds);

        return match (true) {
            $interrupted => self::Interrupted,
            self::nothing($result) => self::TargetFailed,
            $result->partial => self::NotValid,
            $broken !== [] => self::ThresholdBroken,
            $strict && !$result->validity->valid() => self::NotValid,
            default => self::Done,
        };
    }

    /** Whether not one operation ended well, while something was tried. */
    public static function nothing(Result $result): bool
    {
        return $result->mode->done($result->totals) === 0 && ($result->errors() > 0 || $result->generator->said() !== null);
    }

    public static function help(): string
    {
        return '0 done, 1 the target failed, 2 wrong usage, 3 our fault, 4 a threshold is broken, 5 not valid (--strict, or a part of the generator was lost), 130 ended by Ctrl-C';
    }
}
