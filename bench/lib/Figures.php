<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

/** The figures of several machines, row by row beside each other: the tables and the drawing of docs/performance.md. */
final class Figures
{
    public const PEERS = ['' => '', 'floor' => 'floor', 'bun' => 'Bun', 'swoole' => 'Swoole', 'uws' => 'uWebSockets', 'workerman' => 'Workerman', 'ws' => 'ws on Node', 'nginx' => 'nginx',
        'tusk-foreach' => '`foreach … send()`', 'tusk-ws' => 'ours of fan-out, HTTP', 'tusk-plain' => 'without the extension', 'tusk-quiet' => 'quiet', 'quiet' => 'quiet'];

    /** @var array<string, array<string, array<string, Figure>>> by "id title", peer, machine */
    private array $rows = [];

    /** @param array<string, list<string>> $machines name => files below $folder */
    public function __construct(private readonly array $machines, string $folder)
    {
        foreach ($machines as $machine => $files) {
            foreach ($files as $file) {
                /** @var array<string, mixed> $result */
                $result = json_decode((string) file_get_contents("$folder/$file"), true, 512, JSON_THROW_ON_ERROR);
                isset($result['rows']) ? $this->readRows($machine, $result) : $this->readRounds($machine, $result);
            }
        }
    }

    /**
     * Its rows as Markdown.
     *
     * @param list<string> $ids
     */
    public function table(array $ids): string
    {
        $head = '| scenario | beside |';
        $rule = '|---|---|';
        foreach (array_keys($this->machines) as $machine) {
            $head .= " $machine: Tusk / it | ratio |";
            $rule .= '--:|--:|';
        }
        $text = "$head target |\n$rule--:|\n";
        foreach ($this->rows as $key => $peers) {
            if (!in_array(strstr($key, ' ', true), $ids, true)) {
                continue;
            }
            $first = true;
            foreach ($peers as $peer => $machines) {
                $text .= '| ' . ($first ? self::title($key) : '') . ' | ' . self::PEERS[$peer];
                foreach (array_keys($this->machines) as $machine) {
                    $figure = $machines[$machine] ?? null;
                    $text .= $figure === null ? ' | | ' : " | {$figure->medians()} | " . ($peer === '' ? trim($figure->mark()) : $figure->ratio());
                }
                $text .= ' | ' . current($machines)->target() . " |\n";
                $first = false;
            }
        }

        return (string) preg_replace('~ +\|~', ' |', $text);
    }

    /**
     * Rates beside peers that are asked for, for a drawing.
     *
     * @param list<array{string, string, string}> $wanted id, words of the title, peer
     *
     * @return array<string, array{float, array<string, array{float, float, float}>}> by label: the target, and by machine the ratio, its lower and upper bound
     */
    public function ratios(array $wanted): array
    {
        $found = [];
        foreach ($wanted as [$id, $words, $peer]) {
            foreach ($this->rows as $key => $peers) {
                if (str_starts_with($key, "$id ") && str_contains($key, $words) && isset($peers[$peer])) {
                    $found[self::title($key) . ' ÷ ' . self::PEERS[$peer]] = [
                        current($peers[$peer])->scenario->targets[$peer] ?? 0.0,
                        array_map(static fn (Figure $figure): array => [$figure->ratio, $figure->lower, $figure->upper], $peers[$peer]),
                    ];
                    break;
                }
            }
        }

        return $found;
    }

    private static function title(string $key): string
    {
        return explode('; ', substr((string) strstr($key, ' '), 1))[0];
    }

    /** @param array<string, mixed> $result */
    private function readRounds(string $machine, array $result): void
    {
        /** @var list<array{id: string, title: string, results: array<string, array<int, array<string, mixed>>|string>}> $scenarios */
        $scenarios = $result['scenarios'];
        foreach ($scenarios as ['id' => $id, 'title' => $title, 'results' => $results]) {
            $scenario = self::scenario($id, $title);
            $ours = $results['tusk'] ?? null;
            if ($scenario === null || !is_array($ours)) {
                continue;
            }
            if ($scenario->limit !== null || count($results) === 1) {
                $this->add($machine, Figure::ofRounds($scenario, '', $ours, null));
            }
            foreach ($results as $peer => $theirs) {
                if ($peer !== 'tusk' && is_array($theirs)) {
                    $this->add($machine, Figure::ofRounds($scenario, $peer, $ours, $theirs));
                }
            }
        }
    }

    /** @param array<string, mixed> $result */
    private function readRows(string $machine, array $result): void
    {
        /** @var list<array{id: string, title: string, peer: string|null, ours: list<float|int>, theirs?: list<float|int>, ratio?: float, lower?: float}> $rows */
        $rows = $result['rows'];
        foreach ($rows as $row) {
            $scenario = self::scenario($row['id'], $row['title']);
            $this->add($machine, $scenario === null ? null : Figure::ofRow($scenario, (string) $row['peer'], $row));
        }
    }

    private function add(string $machine, ?Figure $figure): void
    {
        if ($figure !== null) {
            $this->rows["{$figure->scenario->id} {$figure->scenario->title}"][$figure->peer][$machine] = $figure;
        }
    }

    /** What is asked of it; null: a scenario that is no more. */
    private static function scenario(string $id, string $title): ?Scenario
    {
        static $all = [];
        /** @var list<Scenario> $here */
        $here = $all[$id] ??= require dirname(__DIR__) . "/scenario/$id.php";
        foreach ($here as $scenario) {
            if ($scenario->title === $title) {
                return $scenario;
            }
        }

        return null;
    }
}
