<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Symfony\Component\Console\Command\Command;
use Tusk\Bench\Engines;
use Tusk\Bench\Mode;

/** The verbs of `tusk bench`, made when they are wanted. */
final class Commands
{
    private const VERBS = [
        'options' => OptionsCommand::class,
        'run' => RunCommand::class,
        'cases' => CasesCommand::class,
        'ab' => AbCommand::class,
        'compare' => CompareCommand::class,
        'report' => ReportCommand::class,
    ];

    /**
     * @param list<string> $typed the command line, for results
     *
     * @return array<string, \Closure(): Command> by name
     */
    public static function factories(Engines $engines, array $typed): array
    {
        $factories = ['bench' => static fn (): Command => new OverviewCommand($engines)];
        foreach (Mode::cases() as $mode) {
            $factories[ModeCommand::nameOf($mode)] = static fn (): Command => new ModeCommand($engines, $mode, $typed);
        }
        $factories['bench:agent'] = static fn (): Command => new AgentCommand($engines);
        $factories['bench:master'] = static fn (): Command => new MasterCommand($engines);
        foreach (self::VERBS as $name => $class) {
            $factories["bench:$name"] = static fn (): Command => new $class($engines, $typed);
        }

        return $factories;
    }
}
