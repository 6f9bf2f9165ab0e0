<?php
// SPDX-License-Identifier: MIT
declare(strict_types=1);

namespace Tusk\Bench\Target;

/** What a scenario gave for one peer, or for the subject alone: the cells of a line. */
final readonly class Row
{
    /**
     * @param array<int, float>      $ours   by round
     * @param array<int, float>|null $theirs null = no peer: the subject against the scenario's own limit
     */
    public function __construct(
        private Scenario $scenario,
        private string $peer,
        private array $ours,
        private ?array $theirs,
    ) {
    }

    /**
     * @param bool $first of its scenario: names it and the subject's figure
     */
    public function line(bool $first): string
    {
        $cells = [$first ? $this->scenario->id : '', $first ? $this->scenario->title : '', $first ? $this->figure($this->ours) : ''];
        if ($this->theirs === null) {
            return '| ' . implode(' | ', [...$cells, '', '', '', '', (string) count($this->ours), $this->limit(), $this->limitVerdict()]) . " |\n";
        }
        $paired = Statistics::paired($this->ours, $this->theirs, $this->scenario->less);
        $target = $this->scenario->targets[$this->peer] ?? 0.0;
        array_push($cells, $this->peer, $this->figure($this->theirs), sprintf('%.3f', $paired->ratio), sprintf('%.3f', $paired->lower), (string) $paired->pairs);

        return '| ' . implode(' | ', [...$cells, $target > 0.0 ? (string) $target : '', $target > 0.0 ? self::verdict($paired, $target) : '']) . " |\n";
    }

    /** The mean on one side of the target and the bound on the other: not decided. */
    private static function verdict(Statistics $paired, float $target): string
    {
        return match (true) {
            $paired->lower >= $target => 'reached',
            $paired->upper < $target => 'short',
            default => 'undecided',
        };
    }

    private function limit(): string
    {
        return $this->scenario->limit === null ? '' : '≤ ' . self::number($this->scenario->limit);
    }

    private function limitVerdict(): string
    {
        if ($this->scenario->limit === null || $this->ours === []) {
            return '';
        }

        return match (true) {
            max($this->ours) <= $this->scenario->limit => 'reached',
            min($this->ours) > $this->scenario->limit => 'short',
            default => 'undecided',
        };
    }

    /**
     * @param array<int, float> $values
     */
    private function figure(array $values): string
    {
        $unit = $this->scenario->unit === '/CPU-s' ? '' : " {$this->scenario->unit}";

        return $values === [] ? '' : sprintf('%s%s (%s – %s)', self::number(Statistics::median($values)), $unit, self::number(min($values)), self::number(max($values)));
    }

    public static function number(float $value): string
    {
        return match (true) {
            is_nan($value) => '–',
            abs($value) >= 1e6 => sprintf('%.2fM', $value / 1e6),
            abs($value) >= 1e4 => sprintf('%.1fk', $value / 1e3),
            abs($value) >= 100 => sprintf('%.0f', $value),
            default => sprintf('%.2f', $value),
        };
    }
}
