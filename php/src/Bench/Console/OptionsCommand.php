<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\Screen;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Mode;
use Tusk\Terminal\ExitCode;

/** `tusk bench options`: what means the same in every mode. */
final class OptionsCommand extends BenchCommand
{
    protected function configure(): void
    {
        $this->setName('bench:options')->setDescription('Tell the options that every mode has');
    }

    protected function carryOut(InputInterface $input, OutputInterface $output): ExitCode
    {
        $output->write($this->screen(), false, OutputInterface::OUTPUT_RAW);

        return ExitCode::Done;
    }

    public function screen(): string
    {
        $rows = [];
        foreach (Mode::cases() as $mode) {
            $rows += (new EngineOptions($this->engines, $mode))->rowsEverywhere();
        }

        return "tusk bench options    The options that every mode has, beside its own (tusk bench MODE --help)\n\n"
            . "  tusk bench ws-echo ws://127.0.0.1:9001/ --warmup 2s --assert 'p99 < 20ms' --json=result.json\n\n"
            . Screen::rows(array_values($rows), 30) . "\n" . Screen::rows([...self::RUN_OPTIONS, ['--wsperf FILE', "wsperf's result file (ws-handshake)"]], 30) . "\n"
            . Ending::help();
    }
}
