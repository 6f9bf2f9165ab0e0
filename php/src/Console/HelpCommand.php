<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\ExitCode;
use Tusk\Terminal\OneScreen;
use Tusk\Terminal\Screen;
use Tusk\Terminal\Topics;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\HelpCommand as Help;
use Symfony\Component\Console\Exception\InvalidOptionException;
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

    /** What is written of a command, or of one of its topics; a command without topics tells all it has. */
    public static function page(OneScreen $command, string $topic = ''): string
    {
        if (!$command instanceof Topics || $topic === '' || str_starts_with($topic, '-')) { // `--help` before another option
            return Screen::page($command->screen());
        }
        $topics = [...$command->topics(), Topics::ALL];

        return in_array($topic, $topics, true)
            ? Screen::page($command->topic($topic))
            : throw new InvalidOptionException("--help has no topic \"$topic\"; there are " . implode(', ', $topics));
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        if ($this->asked === null) {
            $input->bind($this->getDefinition()); // again, as the console lets help take anything, and what nobody knows is a slip here, too
        }
        $name = $input->getArgument('command_name');
        if ($this->asked === null && $name === 'help') {
            $output->write(Screen::page(($this->overview)()), false, OutputInterface::OUTPUT_RAW);

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
        $topic = $input->getParameterOption('--help', '', true);
        $output->write(self::page($asked, is_string($topic) ? $topic : ''), false, OutputInterface::OUTPUT_RAW);

        return ExitCode::Done->value;
    }
}
