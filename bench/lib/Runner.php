<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

use Tusk\Bench\Suite\Peer;
use Tusk\Bench\Suite\Ports;
use Tusk\Bench\Suite\ServerProcess;

/** Runs a scenario: every round drives each participant once, and every second round goes backwards. */
final class Runner
{
    /**
     * @param array<string, Peer>        $peers
     * @param array<string, string|null> $versions null = absent
     * @param string                     $warmup   seconds; '' = the driver's default, or the scenario's own
     * @param list<string>|null          $wanted   null = those a scenario has targets for
     */
    public function __construct(
        private readonly array $peers,
        private readonly array $versions,
        private readonly string $subject,
        private readonly int $pairs,
        private readonly float $seconds,
        private readonly string $warmup,
        private readonly ?array $wanted,
    ) {
    }

    /**
     * @return array<string, array<int, array<string, mixed>>|string> by participant: its runs by round, or why there are none
     */
    public function run(Scenario $scenario): array
    {
        fwrite(STDERR, "{$scenario->id} {$scenario->title}\n");
        $results = [];
        $names = $scenario->within !== null ? [] : $this->wanted ?? array_keys($scenario->targets);
        foreach (array_unique([$this->subject, ...$names]) as $name) {
            $results[$name] = ($this->versions[$name] ?? null) === null ? 'absent' : [];
            if ($results[$name] === [] && $this->peers[$name]->command($scenario->roleOf($name), 1) === null) {
                $results[$name] = "no {$scenario->roleOf($name)->value}";
            }
        }
        $running = [];
        for ($round = 0; $round < $this->pairs; $round++) {
            $order = array_keys(array_filter($results, is_array(...)));
            foreach ($round % 2 === 0 ? $order : array_reverse($order) as $name) {
                $this->round($scenario, $name, $round, $running, $results);
            }
        }
        foreach ($running as $process) {
            $process->end();
        }

        return $scenario->within === null ? $results : self::split($results, $this->subject, $scenario->within);
    }

    /**
     * Both sides of the pairs that a driver measured in one run, as if they were runs of two.
     *
     * @param array<string, array<int, array<string, mixed>>|string> $results
     *
     * @return array<string, array<int, array<string, mixed>>|string>
     */
    private static function split(array $results, string $subject, string $peer): array
    {
        if (is_string($results[$subject])) {
            return $results;
        }
        $sides = [[], []];
        foreach ($results[$subject] as $run) {
            $pairs = is_array($run['pairs_us'] ?? null) ? $run['pairs_us'] : [];
            unset($run['pairs_us']);
            foreach ($pairs as $pair) {
                [$theirs, $ours] = is_array($pair) ? $pair : [NAN, NAN];
                $sides[0][] = ['pair_us' => $ours] + $run;
                $sides[1][] = ['pair_us' => $theirs];
                $run = [];
            }
        }

        return [$subject => $sides[0], $peer => $sides[1]];
    }

    /**
     * One run of one participant. What fails is tried once more with a new server, on another port.
     *
     * @param array<string, ServerProcess>                                 $running
     * @param array<string, array<int, array<string, mixed>>|string> $results
     */
    private function round(Scenario $scenario, string $name, int $round, array &$running, array &$results): void
    {
        for ($try = 1; is_array($results[$name]) && !isset($results[$name][$round]); $try++) {
            try {
                $running[$name] ??= $this->start($scenario, $name);
                $result = $this->drive($scenario, $name, $running[$name]);
                $results[$name][$round] = $result;
                fprintf(STDERR, "  %-12s %s\n", $name, self::brief($scenario, $result));
            } catch (\RuntimeException $e) {
                fprintf(STDERR, "  %-12s %s\n", $name, $e->getMessage());
                if ($try === 2) {
                    $results[$name] = 'failed: ' . $e->getMessage();
                }
            }
            if (isset($running[$name]) && ($scenario->fresh || $scenario->restart || !isset($results[$name][$round]))) {
                $running[$name]->end();
                unset($running[$name]);
            }
        }
    }

    private function start(Scenario $scenario, string $name): ServerProcess
    {
        $port = Ports::free();
        $command = $this->peers[$name]->command($scenario->roleOf($name), $port) ?? [];
        if ($scenario->counts !== null) {
            $file = self::counts($scenario->counts, $name);
            @unlink($file);
            $command = ['env', 'LD_PRELOAD=' . getcwd() . "/build/bench/micro/{$scenario->counts}.so", 'TUSK_' . strtoupper($scenario->counts) . "=$file", ...$command];
        }

        return new ServerProcess($command, $port, getcwd() . "/build/bench/$name.log");
    }

    /** Where that library of a server counts. */
    private static function counts(string $library, string $name): string
    {
        return getcwd() . "/build/bench/$library.$name";
    }

    /**
     * @return array<string, mixed>
     */
    private function drive(Scenario $scenario, string $name, ServerProcess $server): array
    {
        $arguments = $scenario->drivers[$name] ?? $scenario->driver;
        $path = $this->peers[$name]->path($scenario->roleOf($name));
        $command = [getcwd() . '/' . Tools::DRIVER, ...$arguments, '--port', (string) $server->port, '--pid', (string) $server->pid, '--cpu', '1'];
        if (!in_array('--seconds', $arguments, true)) {
            array_push($command, '--seconds', (string) $this->seconds);
        }
        if ($this->warmup !== '' && !in_array('--warmup', $arguments, true)) {
            array_push($command, '--warmup', $this->warmup);
        }
        if (!in_array('--path', $arguments, true)) {
            array_push($command, '--path', $path);
        }
        if ($scenario->counts !== null) {
            array_push($command, '--' . strtr($scenario->counts, '_', '-'), self::counts($scenario->counts, $name));
        }
        if ($scenario->restart) {
            array_push($command, '--restart', 'exec ' . implode(' ', array_map(escapeshellarg(...), $server->command)) . ' >/dev/null 2>&1');
        }
        $line = exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines, $code);
        $result = json_decode((string) $line, true);
        if (!is_array($result)) {
            throw new \RuntimeException((string) $line);
        }
        if ($code !== 0) {
            throw new \RuntimeException(is_string($result['error'] ?? null) ? $result['error'] : "exit $code");
        }

        return $result;
    }

    /**
     * @param array<string, mixed> $result
     */
    public static function value(Scenario $scenario, array $result): float
    {
        $value = $result;
        foreach (explode('/', $scenario->metric) as $key) {
            $value = is_array($value) ? ($value[$key] ?? null) : null;
        }

        return is_int($value) || is_float($value) ? (float) $value : NAN;
    }

    /**
     * @param array<string, mixed> $result
     */
    private static function brief(Scenario $scenario, array $result): string
    {
        $latency = is_array($result['latency_us'] ?? null) ? $result['latency_us'] : [];

        if (is_array($result['pairs_us'] ?? null)) {
            return sprintf('%d pairs, p99 %s us quiet, %s us attacked', count($result['pairs_us']), json_encode($result['quiet_p99_us'] ?? null), json_encode($result['attacked_p99_us'] ?? null));
        }

        return sprintf('%12s %s  p99 %s us  limit: %s', number_format(self::value($scenario, $result)), $scenario->unit, json_encode($latency['p99'] ?? null), is_string($result['limit'] ?? null) ? $result['limit'] : '-');
    }
}
