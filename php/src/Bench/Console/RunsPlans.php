<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Plan;
use Tusk\Bench\Session;

/** What every verb that runs one plan does with it. */
trait RunsPlans
{
    /** Connections of which single times are kept at most; 48 bytes each in every worker, touched when used. */
    private static int $samplesMax = 1_000_000;

    /** @return list<InputOption> */
    private static function runOptions(): array
    {
        return [
            ...Faces::definition(),
            new InputOption('assert', null, InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, "a threshold such as 'p99 < 20ms'; exit status 4 when it is broken"),
            new InputOption('strict', null, InputOption::VALUE_NONE, 'exit status 5 when the result is not valid'),
            new InputOption('pid', null, InputOption::VALUE_REQUIRED, 'process id of the server, for its CPU and memory'),
            new InputOption('calibrate', null, InputOption::VALUE_NONE, "run the same load against the tool's own server first"),
        ];
    }

    private function runPlan(Plan $plan, ?int $pid, InputInterface $input, OutputInterface $output): Ending
    {
        $faces = Faces::of($input, $plan->mode);
        $table = $this->engines->options($plan->mode);
        if ($faces->wantsSamples() && isset($table['samples'])) {
            // wsperf knows no warm-up: its file holds every connection.
            $plan = $plan->with(['samples' => self::$samplesMax, ...($faces->has('wsperf') && !isset($plan->options['warmup']) ? ['warmup' => 0] : [])]);
        }
        $display = self::display($output, $table['duration']['default'] ?? null);
        $finished = (new Session($this->engines, $display))->run($plan, $pid, $input->getOption('calibrate') === true);
        $ending = Ending::of($finished->result, $input->getOption('strict') === true);
        $faces->write($finished->result, $output, self::errors($output), $finished->samples(...));
        $said = match ($ending) {
            Ending::TargetFailed => 'tusk: nothing was measured: ' . (new \Tusk\Bench\Report\Figures($finished->result))->errors(),
            Ending::Interrupted => 'tusk: ended early: the result is partial, and says so',
            default => null,
        };
        if ($said !== null) {
            self::errors($output)->writeln($said, OutputInterface::OUTPUT_RAW);
        }

        return $ending;
    }
}
