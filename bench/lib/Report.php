<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Suite;

/** The table: medians with their range, the paired ratio with its lower bound, and the verdict. */
final class Report
{
    private const HEAD = "| scenario | server | median | min – max | p99 | subject ÷ peer | lower 95 % | target | |\n|---|---|--:|--:|--:|--:|--:|--:|---|\n";

    private string $rows = '';

    /** @var list<array<string, mixed>> */
    private array $raw = [];

    /**
     * @param array<string, string|null> $versions
     */
    public function __construct(private readonly array $versions)
    {
    }

    /**
     * @param array<string, list<array<string, mixed>>|string> $results the subject comes first
     */
    public function add(Scenario $scenario, array $results): void
    {
        $this->raw[] = ['id' => $scenario->id, 'title' => $scenario->title, 'metric' => $scenario->metric, 'driver' => $scenario->driver,
            'results' => array_map(static fn (array|string $runs): array|string => is_string($runs) ? $runs : array_map(self::essence(...), $runs), $results)];
        $subject = array_key_first($results);
        $ours = is_array($results[$subject] ?? null) ? self::values($scenario, $results[$subject]) : [];
        foreach ($results as $name => $runs) {
            $cells = ["{$scenario->id} {$scenario->title}", (string) $name];
            if (is_string($runs)) {
                $this->rows .= '| ' . implode(' | ', [...$cells, $runs, '', '', '', '', '', '']) . " |\n";
                continue;
            }
            $values = self::values($scenario, $runs);
            $cells[] = self::number(Statistics::median($values)) . " {$scenario->unit}";
            $cells[] = self::number(min($values)) . ' – ' . self::number(max($values));
            $cells[] = self::p99($runs);
            $this->rows .= '| ' . implode(' | ', [...$cells, ...$this->compare($scenario, (string) $name, $name === $subject, $ours, $values)]) . " |\n";
        }
    }

    public function finish(string $save, string $markdown): void
    {
        $peers = [];
        foreach ($this->versions as $name => $version) {
            $peers[] = "$name: " . ($version ?? 'absent');
        }
        $head = sprintf("%s, %s, %d cores, Linux %s; server on core 0, driver on core 1.\n%s.\n\n", date('Y-m-d H:i'), self::cpu(), (int) shell_exec('nproc'), php_uname('r'), implode('; ', $peers));
        echo $head, self::HEAD, $this->rows;
        if ($markdown !== '') {
            file_put_contents($markdown, $head . self::HEAD . $this->rows);
        }
        if ($save !== '') {
            file_put_contents($save, json_encode(['date' => date('c'), 'cpu' => self::cpu(), 'kernel' => php_uname('r'), 'versions' => $this->versions, 'scenarios' => $this->raw], JSON_UNESCAPED_SLASHES) . "\n");
        }
    }

    /**
     * What a later reader needs of a run; everything that is a number or says why.
     *
     * @param array<string, mixed> $run
     *
     * @return array<string, mixed>
     */
    private static function essence(array $run): array
    {
        $latency = is_array($run['latency_us'] ?? null) ? $run['latency_us'] : [];
        unset($run['mode'], $run['unit'], $run['model'], $run['conns'], $run['size'], $run['depth'], $run['latency_us']);

        return $run + array_filter(['p50_us' => $latency['p50'] ?? null, 'p99_us' => $latency['p99'] ?? null, 'n' => $latency['n'] ?? null]);
    }

    /**
     * @param list<float>           $ours
     * @param non-empty-list<float> $theirs
     *
     * @return list<string> ratio, lower bound, target, verdict
     */
    private function compare(Scenario $scenario, string $name, bool $same, array $ours, array $theirs): array
    {
        if ($same) {
            $ok = $scenario->limit === null ? '' : (Statistics::median($theirs) <= $scenario->limit ? 'reached' : 'short');

            return ['', '', $scenario->limit === null ? '' : '≤ ' . self::number($scenario->limit), $ok];
        }
        if ($ours === []) {
            return ['', '', '', ''];
        }
        $paired = Statistics::paired($ours, $theirs, $scenario->less);
        $target = $scenario->targets[$name] ?? 0.0;
        $reached = $name === 'floor' && !is_nan($paired->lower) ? $paired->lower : $paired->ratio;
        $verdict = $target <= 0.0 ? '' : ($reached >= $target ? 'reached' : 'short');

        return [sprintf('%.3f', $paired->ratio), sprintf('%.3f', $paired->lower), $target > 0.0 ? "≥ $target" : '', $verdict];
    }

    /**
     * @param list<array<string, mixed>> $runs
     *
     * @return non-empty-list<float>
     */
    private static function values(Scenario $scenario, array $runs): array
    {
        $values = array_map(static fn (array $run): float => Runner::value($scenario, $run), $runs);

        return $values === [] ? [NAN] : $values;
    }

    /**
     * @param list<array<string, mixed>> $runs
     */
    private static function p99(array $runs): string
    {
        $values = [];
        foreach ($runs as $run) {
            $p99 = is_array($run['latency_us'] ?? null) ? ($run['latency_us']['p99'] ?? null) : null;
            if (is_int($p99) || is_float($p99)) {
                $values[] = (float) $p99;
            }
        }

        return $values === [] ? '–' : sprintf('%.2f ms', Statistics::median($values) / 1000);
    }

    private static function number(float $value): string
    {
        return match (true) {
            is_nan($value) => '–',
            abs($value) >= 1e6 => sprintf('%.2fM', $value / 1e6),
            abs($value) >= 1e4 => sprintf('%.1fk', $value / 1e3),
            abs($value) >= 100 => sprintf('%.0f', $value),
            default => sprintf('%.2f', $value),
        };
    }

    private static function cpu(): string
    {
        preg_match('/model name\s*:\s*(.+)/', (string) @file_get_contents('/proc/cpuinfo'), $match);

        return $match[1] ?? php_uname('m');
    }
}
