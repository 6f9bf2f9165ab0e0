<?php

declare(strict_types=1);

namespace Tusk\Console;

use Tusk\Terminal\ExitCode;
use Tusk\Terminal\OneScreen;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Console\Tune\Change;
use Tusk\Console\Tune\Profile;
use Tusk\Console\Tune\Tuner;

/** `tusk tune`: the kernel's settings for many connections. It only prints them until it is asked for more. */
#[AsCommand('tune', "Show, and only when asked change, the kernel's settings for many connections")]
final class TuneCommand extends Command implements OneScreen
{
    public function __construct(private readonly Tuner $tuner)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this
            ->addOption('production', null, InputOption::VALUE_NONE, 'values for a machine that serves people; without it those of a load test')
            ->addOption('apply', null, InputOption::VALUE_NONE, 'write them to /proc/sys now (root); gone with the next boot')
            ->addOption('persist', null, InputOption::VALUE_NONE, 'write them to ' . Tuner::FILE . ' (root); in force from the next boot on')
            ->addOption('json', null, InputOption::VALUE_NONE, 'a list of {name, now, value, change, why}; changes nothing');
    }

    public function screen(): string
    {
        return <<<'HELP'
            usage: tusk tune [options]

            Shows the kernel's settings for many connections, and the commands that would change them. It changes nothing
            without --apply or --persist. A limit that is higher already is left alone.

              --production  values for a machine that serves people; without it those of a load test
              --apply       write them to /proc/sys now (root); gone with the next boot
              --persist     write them to /etc/sysctl.d/90-tusk.conf (root); in force from the next boot on
              --json        a list of {name, now, value, change, why}; changes nothing

              tusk tune --production
              sudo tusk tune --production --apply --persist


            HELP . ExitCode::help([1 => 'something could not be written']);
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $profile = $input->getOption('production') === true ? Profile::Production : Profile::Benchmark;
        $apply = $input->getOption('apply') === true;
        $persist = $input->getOption('persist') === true;
        $changes = $this->tuner->compare($profile);
        $wanted = array_values(array_filter($changes, static fn (Change $change): bool => $change->wanted));
        if ($input->getOption('json') === true) {
            if ($apply || $persist) {
                throw new InvalidOptionException('--json changes nothing: leave out --apply and --persist');
            }
            $output->writeln(json_encode($changes, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR), OutputInterface::OUTPUT_RAW);

            return ExitCode::Done->value;
        }
        $this->show($output, $changes, $profile);
        if ($wanted === [] && !$persist) {
            $output->writeln('Nothing to change.');

            return ExitCode::Done->value;
        }
        if (!$apply && !$persist) {
            $output->writeln(['', 'Nothing was changed. To change it now (--apply does the same, --persist keeps it over a boot):', '']);
            $output->writeln(array_map(static fn (Change $change): string => '  ' . $change->setting->command(), $wanted), OutputInterface::OUTPUT_RAW);

            return ExitCode::Done->value;
        }
        $good = !$apply || $this->apply($output, $wanted);
        $good = (!$persist || $this->persist($output, $changes, $profile)) && $good;

        return ($good ? ExitCode::Done : ExitCode::TargetFailed)->value;
    }

    /** @param list<Change> $changes */
    private function show(OutputInterface $output, array $changes, Profile $profile): void
    {
        $output->writeln("Profile {$profile->value}:");
        foreach ($changes as $change) {
            $value = $change->wanted ? "{$change->now} → <comment>{$change->setting->value}</comment>" : $change->now;
            $output->writeln(sprintf(
                '%s  %-30s %s  (%s)',
                $change->wanted ? '<comment>set </comment>' : '<info>ok  </info>',
                $change->setting->name,
                $value,
                $change->setting->why,
            ));
        }
    }

    /** @param list<Change> $wanted */
    private function apply(OutputInterface $output, array $wanted): bool
    {
        $good = true;
        foreach ($wanted as $change) {
            $fault = $this->tuner->apply($change);
            $good = $good && $fault === null;
            $output->writeln($fault === null
                ? "applied {$change->setting->name} = {$change->setting->value}"
                : "<error>not applied {$change->setting->name}: $fault</error>");
        }

        return $good;
    }

    /** @param list<Change> $changes */
    private function persist(OutputInterface $output, array $changes, Profile $profile): bool
    {
        $fault = $this->tuner->persist($changes, $profile);
        $output->writeln($fault === null
            ? 'wrote ' . Tuner::FILE . ' (`sysctl --system` reads it now)'
            : '<error>not written ' . Tuner::FILE . ": $fault</error>");

        return $fault === null;
    }
}
