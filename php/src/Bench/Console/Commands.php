<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Symfony\Component\Console\Command\Command;
use Tusk\Bench\Engines;
use Tusk\Bench\Mode;

/** The verbs of `tusk bench`, made when they are wanted. */
final class Commands
{
    /** @var array<string, array{class-string<BenchCommand>, string}> further verbs with what they do */
    private const VERBS = [
        'run' => [RunCommand::class, RunCommand::SUMMARY],
        'cases' => [CasesCommand::class, CasesCommand::SUMMARY],
        'ab' => [AbCommand::class, AbCommand::SUMMARY],
        'compare' => [CompareCommand::class, CompareCommand::SUMMARY],
        'report' => [ReportCommand::class, ReportCommand::SUMMARY],
    ];

    /**
     * @param list<string> $typed the command line, for results
     *
     * @return array<string, \Closure(): Command> by name
     */
    public static function factories(Engines $engines, array $typed): array
    {
        $factories = ['bench' => static fn (): Command => new OverviewCommand($engines, array_map(static fn (array $verb): string => $verb[1], self::VERBS))];
        foreach (Mode::cases() as $mode) {
            $factories[ModeCommand::nameOf($mode)] = static fn (): Command => new ModeCommand($engines, $mode, $typed);
        }
        foreach (self::VERBS as $name => [$class]) {
            $factories["bench:$name"] = static fn (): Command => new $class($engines, $typed);
        }

        return $factories;
    }
}
