<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Tusk\Terminal\Screen;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Plan;
use Tusk\Bench\Scenario;
use Tusk\Terminal\ExitCode;

/** `tusk bench run scenario.yaml`: mode, address and options from a file. */
final class RunCommand extends BenchCommand
{
    use RunsPlans;

    public const SUMMARY = 'Run a scenario file';

    protected function configure(): void
    {
        $this->setName('bench:run')->setDescription(self::SUMMARY)->addArgument('file', InputArgument::REQUIRED, 'YAML or JSON');
        foreach (self::runOptions() as $option) {
            $this->getDefinition()->addOption($option);
        }
    }

    protected function carryOut(InputInterface $input, OutputInterface $output): ExitCode
    {
        $file = $input->getArgument('file');
        $scenario = Scenario::read(is_string($file) ? $file : '', $this->engines, $this->typed);
        $plan = $scenario->plan;
        $plan = new Plan($plan->mode, $plan->url, $plan->options, [...$plan->thresholds, ...self::texts($input, 'assert')], $plan->scenario, $plan->arguments);

        return $this->runPlan($plan, self::whole($input, 'pid') ?? $scenario->pid, $input, $output);
    }

    public function screen(): string
    {
        return 'tusk bench run FILE [options]    ' . self::SUMMARY . "\n\n"
            . "  tusk bench run evening.yaml --html report.html\n\n"
            . "The file is YAML (or JSON):\n\n"
            . "  name: evening                  # that of the file, if left out\n"
            . "  mode: ws-echo                  # from the address, if left out\n"
            . "  url: ws://127.0.0.1:9001/\n"
            . "  options: {connections: 100, rate: 5k, duration: 30s}\n"
            . "  assert: ['p99 < 20ms', 'errors == 0']\n\n"
            . "Options are those of the mode: tusk bench MODE --help. A mistake is named with its line.\n\n"
            . Screen::rows(self::RUN_OPTIONS, 30) . "\n"
            . Ending::help();
    }
}
