<?php

declare(strict_types=1);

namespace Tusk\Bench\Wsperf;

use Tusk\Terminal\Units;

/** How a plan is cut into shares for several agents. */
final class Share
{
    /** Options that are a total: each agent takes its part. */
    private const TOTALS = ['connections', 'rate', 'count', 'idle', 'publishers', 'high', 'low', 'opening', 'samples', 'slow'];

    /**
     * @param array<string, string|int|float|bool>                                                   $options
     * @param array<string, array{type: string, default: string, unit: string, help: string}> $known the mode's, with defaults
     *
     * @return array<string, string|int|float|bool>
     *
     * @throws \ValueError when a total is too small to be cut
     */
    public static function of(array $options, array $known, int $agents, int $index): array
    {
        foreach (self::TOTALS as $name) {
            $total = $options[$name] ?? $known[$name]['default'] ?? null;
            if ($total === null || is_bool($total)) {
                continue;
            }
            $number = is_string($total) ? self::number($total) : (float) $total;
            if ($number <= 0) {
                continue;
            }
            if ($name === 'rate') {
                $options[$name] = $number / $agents;
                continue;
            }
            $part = intdiv((int) $number, $agents) + ($index < (int) $number % $agents ? 1 : 0);
            if ($part === 0 && in_array($name, ['connections', 'count'], true)) {
                throw new \ValueError("$name is " . (int) $number . ", less than one for each of $agents agents");
            }
            $options[$name] = $part;
        }
        if (isset($known['seed'])) {
            $options['seed'] = (int) self::number((string) ($options['seed'] ?? $known['seed']['default'])) + $index;
        }
        unset($options['allow-remote']);

        return $options;
    }

    private static function number(string $text): float
    {
        return rtrim($text, '/s') === '' ? 0.0 : Units::number(rtrim($text, '/s'));
    }
}
