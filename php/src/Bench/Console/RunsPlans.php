<?php

declare(strict_types=1);

namespace Tusk\Bench\Console;

use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Tusk\Bench\Engines;
use Tusk\Bench\Plan;
use Tusk\Bench\Result;
use Tusk\Bench\Session;
use Tusk\Bench\Wsperf\AgentsEngines;
use Tusk\Terminal\ExitCode;

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
            new InputOption('agents', null, InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY, 'an agent that takes a share of the plan'),
            new InputOption('agents-token', null, InputOption::VALUE_REQUIRED, 'the secret that the agents demand'),
        ];
    }

    /** Where the load comes from: this machine, or agents. */
    private function source(InputInterface $input): Engines
    {
        $agents = array_merge(...array_map(static fn (string $given): array => explode(',', $given), self::texts($input, 'agents')));
        $agents = array_values(array_filter($agents, static fn (string $agent): bool => $agent !== ''));
        if ($agents === []) {
            return $this->engines;
        }
        if ($input->getOption('calibrate') === true) {
            throw new InvalidArgumentException('--calibrate measures this machine, and --agents load from others: give one of them');
        }

        return new AgentsEngines($this->engines, $agents, self::text($input, 'agents-token'));
    }

    private function runPlan(Plan $plan, ?int $pid, InputInterface $input, OutputInterface $output): ExitCode
    {
        $faces = Faces::of($input, $plan->mode);
        $table = $this->engines->options($plan->mode);
        if ($faces->wantsSamples() && isset($table['samples'])) {
            // wsperf knows no warm-up: its file holds every connection.
            $plan = $plan->with(['samples' => self::$samplesMax, ...($faces->has('wsperf') && !isset($plan->options['warmup']) ? ['warmup' => 0] : [])]);
        }
        $display = self::display($output, $table['duration']['default'] ?? null);
        $session = new Session($this->source($input), $display);
        $finished = $session->run($plan, $pid, $input->getOption('calibrate') === true);
        $ending = Ending::of($finished->result, $input->getOption('strict') === true, $session->interrupt->happened());
        $faces->write($finished->result, $output, self::errors($output), $finished->samples(...));
        $said = match ($ending) {
            ExitCode::TargetFailed => 'tusk: nothing was measured: ' . self::failure($finished->result),
            ExitCode::Interrupted => 'tusk: ended early: the result is partial, and says so',
            default => null,
        };
        if ($said !== null) {
            self::errors($output)->writeln($said, OutputInterface::OUTPUT_RAW);
        }

        return $ending;
    }

    private static function failure(Result $result): string
    {
        $errors = $result->whatFailed();
        if ($errors === 'none') {
            return $result->storm() === null ? "no {$result->mode->operations()} in the window" : 'no connection came back';
        }

        return $errors . match (true) {
            str_contains($errors, 'refused') => "; is a server listening at $result->url?",
            str_contains($errors, 'certificate verify failed') => '; --tls-ca FILE names the one to trust, --tls-insecure trusts any',
            default => '',
        };
    }
}
