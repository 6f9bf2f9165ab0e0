<?php

declare(strict_types=1);

namespace Tusk\Bench\Suite;

use Tusk\Terminal\Units;

/** Scenarios by peers: medians with the least and the greatest round. */
final class Table
{
    /** @var array<string, array<string, list<float>|string>> by scenario and peer: its rounds, or why there are none */
    private array $cells = [];
    /** @var array<string, string> by scenario */
    private array $units = [];
    /** @var array<string, string|null> by peer's name; null: absent */
    private array $versions = [];
    /** @var array<string, string> of those that are absent */
    private array $install = [];

    public function __construct(private readonly string $title) {}

    public function peer(Peer $peer): bool
    {
        $version = $this->versions[$peer->name()] = $peer->version();
        if ($version === null) {
            $this->install[$peer->name()] = $peer->install();
        }

        return $version !== null;
    }

    public function add(string $scenario, string $unit, Peer $peer, float $value): void
    {
        $this->units[$scenario] = $unit;
        $cell = $this->cells[$scenario][$peer->name()] ?? [];
        if (is_array($cell) && !is_nan($value)) {
            $this->cells[$scenario][$peer->name()] = [...$cell, $value];
        }
    }

    /** A peer that failed in a scenario has no figure there, whatever came before. */
    public function fail(string $scenario, Peer $peer, string $why): void
    {
        $this->units[$scenario] ??= '';
        $this->cells[$scenario][$peer->name()] = $why;
    }

    /** @return list<float>|string|null */
    public function cell(string $scenario, Peer $peer): array|string|null
    {
        return $this->cells[$scenario][$peer->name()] ?? null;
    }

    /** Whether somebody who is here failed somewhere. */
    public function failed(): bool
    {
        foreach ($this->cells as $row) {
            if (array_filter($row, is_string(...)) !== []) {
                return true;
            }
        }

        return false;
    }

    public function markdown(): string
    {
        $here = array_keys(array_filter($this->versions, is_string(...)));
        $present = array_values(array_filter($here, fn (string $peer): bool => array_filter(array_column($this->cells, $peer)) !== []));
        $text = "## {$this->title}\n\n| | " . implode(' | ', $present) . " |\n|---|" . str_repeat('--:|', count($present)) . "\n";
        $notes = [];
        foreach ($this->cells as $scenario => $row) {
            $cells = [];
            foreach ($present as $peer) {
                $cell = $row[$peer] ?? '–';
                if (is_string($cell) && $cell !== '–') {
                    $notes[$cell][] = "$peer in $scenario";
                    $cell = 'failed';
                }
                $cells[] = is_array($cell) ? self::figure($cell) : $cell;
            }
            $unit = $this->units[$scenario] === '' ? '' : ", {$this->units[$scenario]}";
            $text .= "| $scenario$unit | " . implode(' | ', $cells) . " |\n";
        }
        $text .= "\nMedian (least – greatest round); " . Cores::told() . '; ' . implode(', ', array_intersect_key($this->versions, array_flip($present))) . ".\n";
        $without = array_diff($here, $present);
        $text .= $without === [] ? '' : '- plays no part in this suite: ' . implode(', ', $without) . "\n";
        foreach ($notes as $why => $who) {
            $text .= '- failed: ' . implode(', ', $who) . ": $why\n";
        }
        foreach ($this->install as $peer => $how) {
            $text .= "- absent: $peer ($how)\n";
        }

        return $text;
    }

    /** @return array<string, mixed> as JSON has it */
    public function toArray(): array
    {
        $scenarios = [];
        foreach ($this->cells as $scenario => $row) {
            $scenarios[] = ['scenario' => $scenario, 'unit' => $this->units[$scenario], 'results' => array_map(
                static fn (array|string $cell): array => is_string($cell)
                    ? ['failed' => $cell]
                    : ['median' => self::median($cell), 'min' => min($cell ?: [0.0]), 'max' => max($cell ?: [0.0]), 'rounds' => $cell],
                $row,
            )];
        }

        return [
            'suite' => $this->title,
            'date' => date('c'),
            'peers' => array_filter($this->versions, is_string(...)),
            'absent' => $this->install,
            'cores' => Cores::told(),
            'scenarios' => $scenarios,
        ];
    }

    /** @param list<float> $values */
    public static function median(array $values): float
    {
        sort($values);
        $n = count($values);

        return $n === 0 ? NAN : ($values[intdiv($n - 1, 2)] + $values[intdiv($n, 2)]) / 2;
    }

    /** @param list<float> $rounds */
    private static function figure(array $rounds): string
    {
        return $rounds === [] ? '–' : sprintf(
            '%s (%s – %s)',
            Units::short(self::median($rounds)),
            Units::short(min($rounds)),
            Units::short(max($rounds)),
        );
    }
}
