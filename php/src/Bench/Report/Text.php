<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Terminal\Table;
use Tusk\Bench\Result;

/** The report on a terminal. It begins with VALID or NOT VALID. */
final class Text
{
    public static function write(Result $result): string
    {
        $figures = new Figures($result);
        $text = $figures->verdict() . "\n";
        foreach ($result->validity->reasons as $reason) {
            $text .= "  - $reason\n";
        }
        foreach ($result->validity->notes as $note) {
            $text .= "  note: $note\n";
        }
        $text .= "\n{$figures->title()}\n" . ($result->scenario === null ? '' : "scenario {$result->scenario}\n") . "{$figures->conditions()}\n\n";
        foreach ($figures->facts() as $name => $fact) {
            $text .= sprintf("  %-12s %s\n", $name, $fact);
        }
        $rows = $figures->latencyRows();
        if (count($rows) > 1) {
            $text .= "\n" . Table::text($rows);
        }
        foreach ($result->thresholds as $i => $outcome) {
            $text .= ($i === 0 ? "\n" : '') . sprintf("  %-6s %s\n", $outcome->holds ? 'holds' : 'BROKEN', $outcome->text);
        }

        return $text;
    }
}
