<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\ExitCode;
use Tusk\Terminal\OneScreen;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\HelpCommand as Help;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/** `tusk help VERB` and `tusk VERB --help`; without a verb what there is. */
final class HelpCommand extends Help
{
    private ?Command $asked = null;

    /** @param \Closure(): string $overview */
    public function __construct(private readonly \Closure $overview)
    {
        parent::__construct();
    }

    public function setCommand(Command $command): void
    {
        $this->asked = $command;
        parent::setCommand($command);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $name = $input->getArgument('command_name');
        if ($this->asked === null && $name === 'help') {
            $output->write(($this->overview)(), false, OutputInterface::OUTPUT_RAW);

            return ExitCode::Done->value;
        }
        $asked = $this->asked ?? $this->getApplication()?->find(is_string($name) ? $name : 'help');
        $this->asked = null;
        if ($asked instanceof \Symfony\Component\Console\Command\LazyCommand) {
            $asked = $asked->getCommand();
        }
        if (!$asked instanceof OneScreen || $input->getOption('format') !== 'txt') {
            return parent::execute($input, $output);
        }
        $output->write($asked->screen(), false, OutputInterface::OUTPUT_RAW);

        return ExitCode::Done->value;
    }
}
