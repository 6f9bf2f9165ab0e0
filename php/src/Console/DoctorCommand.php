<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\ExitCode;
use Tusk\Terminal\OneScreen;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Console\Doctor\Doctor;
use Tusk\Console\Doctor\Finding;
use Tusk\Console\Doctor\Status;

/** `tusk doctor`: what this machine has and lacks. Ends with 1 when something will not work. */
#[AsCommand('doctor', 'Tell what this machine has and lacks for a server')]
final class DoctorCommand extends Command implements OneScreen
{
    public function __construct(private readonly Doctor $doctor)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this->addOption('json', null, InputOption::VALUE_NONE, 'a list of {name, status, value, remedy}');
    }

    public function screen(): string
    {
        return <<<'HELP'
            usage: tusk doctor [--json]

            Tells what this machine has and lacks: PHP, the extension and its libraries, the kernel's limits, and what a
            proxy can have of the kernel (sockmap, io_uring). Under what lacks stands what to do about it. It changes
            nothing; `tusk tune` changes the kernel's settings.

              --json  a list of {name, status, value, remedy}; status is good, note, warning or bad

              tusk doctor
              tusk doctor --json | jq '.[] | select(.status == "bad")'


            HELP . ExitCode::help([1 => 'something will not work']);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $findings = $this->doctor->examine();
        if ($input->getOption('json') === true) {
            $output->writeln(json_encode($findings, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR), OutputInterface::OUTPUT_RAW);
        } else {
            $width = max([0, ...array_map(static fn (Finding $finding): int => strlen($finding->name), $findings)]);
            foreach ($findings as $finding) {
                $mark = match ($finding->status) {
                    Status::Good => '<info>ok  </info>',
                    Status::Note => 'note',
                    Status::Warning => '<comment>warn</comment>',
                    Status::Bad => '<error>bad </error>',
                };
                $output->writeln(sprintf('%s  %s  %s', $mark, str_pad($finding->name, $width), $finding->value));
                if ($finding->remedy !== '') {
                    $output->writeln(str_repeat(' ', 8 + $width) . "→ {$finding->remedy}");
                }
            }
        }
        $bad = array_filter($findings, static fn (Finding $finding): bool => $finding->status === Status::Bad);

        return ($bad === [] ? ExitCode::Done : ExitCode::TargetFailed)->value;
    }
}
