<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Bench\Outcome;
use Tusk\Bench\Result;
use Tusk\Terminal\ExitCode;

/** How a run ended, for the exit status. */
final class Ending
{
    /** Beside those that every command has. */
    private const OWN = [
        1 => 'the target failed', 4 => 'a threshold is broken', 5 => 'not valid (--strict)', 130 => 'ended by Ctrl-C',
    ];

    /** @param bool $interrupted by Ctrl-C */
    public static function of(Result $result, bool $strict, bool $interrupted = false): ExitCode
    {
        $broken = array_filter($result->thresholds, static fn (Outcome $outcome): bool => !$outcome->holds);

        return match (true) {
            $interrupted => ExitCode::Interrupted,
            self::nothing($result) => ExitCode::TargetFailed,
            $result->partial => ExitCode::NotValid,
            $broken !== [] => ExitCode::ThresholdBroken,
            $strict && !$result->validity->valid() => ExitCode::NotValid,
            default => ExitCode::Done,
        };
    }

    /** Whether the target gave nothing to measure. A run that lost a worker or an agent, and no operation failed, is partial instead. */
    public static function nothing(Result $result): bool
    {
        return $result->nothing() && (!$result->partial || $result->errors() > 0 || $result->generator->said() !== null);
    }

    public static function help(): string
    {
        return ExitCode::help(self::OWN);
    }
}
