<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\Screen;
use Tusk\Terminal\Topics;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Mode;
use Tusk\Terminal\ExitCode;

/** `tusk bench options`: what means the same in every mode. */
final class OptionsCommand extends BenchCommand implements Topics
{
    protected function configure(): void
    {
        $this->setName('bench:options')->setDescription('Tell the options that every mode has');
    }

    protected function carryOut(InputInterface $input, OutputInterface $output): ExitCode
    {
        $output->write(Screen::page($this->topic(self::ALL)), false, OutputInterface::OUTPUT_RAW);

        return ExitCode::Done;
    }

    public function screen(): string
    {
        return $this->topic('load') . "\nMore: --help=results: --json, --html and other reports, --assert, --pid.\n" . Ending::help();
    }

    public function topics(): array
    {
        return ['load', 'results'];
    }

    public function topic(string $topic): string
    {
        $rows = [];
        foreach ($topic === 'results' ? [] : Mode::cases() as $mode) {
            $rows += (new EngineOptions($this->engines, $mode))->rowsEverywhere();
        }

        return "tusk bench options    The options that every mode has, beside its own (tusk bench MODE --help)\n\n"
            . ($rows === [] ? '' : "  tusk bench ws-echo ws://127.0.0.1:9001/ --warmup 2s --assert 'p99 < 20ms'\n\n" . Screen::rows(array_values($rows), 27))
            . ($topic === 'load' ? '' : ($rows === [] ? '' : "\n") . Screen::rows([...self::RUN_OPTIONS, ['--wsperf FILE', "wsperf's result file (ws-handshake)"]], 30) . "\n" . Ending::help());
    }
}
