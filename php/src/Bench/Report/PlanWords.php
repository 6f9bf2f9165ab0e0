<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Bench\LoadEngines;
use Tusk\Bench\Mode;
use Tusk\Terminal\Units;

/** A plan's options as people read them: with their units, and with what 0 stands for. */
final readonly class PlanWords
{
    /** @var array<string, array{type: string, default: string, unit: string, help: string}> */
    private array $table;

    public function __construct(Mode $mode)
    {
        $this->table = (new LoadEngines())->options($mode);
    }

    /**
     * @param array<string, int|float|string|bool|null> $options
     *
     * @return array<string, string> without those that say nothing
     */
    public function of(array $options): array
    {
        $words = [];
        foreach ($options as $name => $value) {
            if ($value !== null && $value !== '') {
                $words[$name] = is_bool($value) ? ($value ? 'yes' : 'no') : $this->word($name, (string) $value);
            }
        }

        return $words;
    }

    private function word(string $name, string $value): string
    {
        $row = $this->table[$name] ?? null; // null: of a result that another version wrote
        if ($row === null) {
            return $value;
        }
        if ((float) $value === 0.0 && preg_match('~\b0: ([^;]+)~', $row['help'], $m) === 1) {
            return $m[1];
        }
        try {
            return match ($row['type']) {
                'seconds' => Units::seconds($value) === 0.0 ? '0 s' : Units::duration(Units::seconds($value) * 1e9),
                'size' => Units::size(Units::bytes($value)),
                'rate' => Units::short(Units::number($value)) . '/s',
                'count' => number_format(Units::count($value)),
                default => $value,
            };
        } catch (\ValueError) {
            return $value;
        }
    }
}
