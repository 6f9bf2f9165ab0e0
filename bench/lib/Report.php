<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

/** A run's own table: medians with their range, the paired ratio with its lower bound, and the verdict. */
final class Report
{
    private const HEAD = "| | scenario | Tusk, per CPU second | peer | its figure | ratio | lower 95 % | rounds | target | |\n|---|---|--:|---|--:|--:|--:|--:|--:|---|\n";

    /** @var array<string, list<Row>> by id and title */
    private array $rows = [];

    /** @var list<string> what was not there or did not work */
    private array $absent = [];

    /** @var list<array<string, mixed>> */
    private array $raw = [];

    /**
     * @param array<string, string|null> $versions
     */
    public function __construct(private readonly array $versions)
    {
    }

    /**
     * @param array<string, array<int, array<string, mixed>>|string> $results by round; the subject comes first
     */
    public function add(Scenario $scenario, array $results): void
    {
        $this->raw[] = ['id' => $scenario->id, 'title' => $scenario->title, 'metric' => $scenario->metric, 'driver' => $scenario->driver,
            'results' => array_map(static fn (array|string $runs): array|string => is_string($runs) ? $runs : array_map(self::essence(...), $runs), $results)];
        $subject = array_key_first($results);
        $ours = is_array($results[$subject] ?? null) ? self::values($scenario, $results[$subject]) : [];
        $rows = $scenario->limit !== null || count($results) === 1 ? [new Row($scenario, '', $ours, null)] : [];
        foreach ($results as $name => $runs) {
            if (is_string($runs)) {
                $this->absent[] = "{$scenario->id} {$scenario->title}, $name: $runs";
            } elseif ($name !== $subject) {
                $rows[] = new Row($scenario, (string) $name, $ours, self::values($scenario, $runs));
            }
        }
        $key = "{$scenario->id} {$scenario->title}";
        $this->rows[$key] = [...($this->rows[$key] ?? []), ...$rows];
    }

    /** What is there so far, as a run may be cut short. */
    public function save(string $save, string $markdown): void
    {
        if ($markdown !== '') {
            file_put_contents($markdown, $this->text());
        }
        if ($save !== '') {
            file_put_contents($save, json_encode(['date' => date('c'), 'cpu' => self::cpu(), 'kernel' => php_uname('r'), 'load' => sys_getloadavg(), 'versions' => $this->versions, 'scenarios' => $this->raw], JSON_UNESCAPED_SLASHES) . "\n");
        }
    }

    public function finish(): void
    {
        echo $this->text();
        foreach (array_unique($this->absent) as $line) {
            echo "$line\n";
        }
    }

    private function text(): string
    {
        $peers = [];
        foreach ($this->versions as $name => $version) {
            $peers[] = "$name: " . ($version ?? 'absent');
        }
        $text = sprintf("%s, %s, %d cores, Linux %s, load %.1f; server on core 0, driver on core 1.\n%s.\n\n%s", date('Y-m-d H:i'), self::cpu(), (int) shell_exec('nproc'), php_uname('r'), sys_getloadavg()[0] ?? 0.0, implode('; ', $peers), self::HEAD);
        foreach ($this->rows as $rows) {
            foreach ($rows as $i => $row) {
                $text .= $row->line($i === 0);
            }
        }

        return $text;
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
     * @param array<int, array<string, mixed>> $runs
     *
     * @return array<int, float> by round
     */
    private static function values(Scenario $scenario, array $runs): array
    {
        return array_map(static fn (array $run): float => Runner::value($scenario, $run), $runs);
    }

    private static function cpu(): string
    {
        preg_match('/model name\s*:\s*(.+)/', (string) @file_get_contents('/proc/cpuinfo'), $match);

        return $match[1] ?? php_uname('m');
    }
}
