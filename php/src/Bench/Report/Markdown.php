<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Bench\Result;
use Tusk\Terminal\Markdown as Words;
use Tusk\Terminal\Table;

/** The report for an issue or a wiki. */
final class Markdown
{
    public static function write(Result $result): string
    {
        $figures = new Figures($result);
        $text = "## {$figures->verdict()}: " . Words::code($figures->title()) . "\n\n";
        foreach ($result->validity->reasons as $reason) {
            $text .= '- **' . Words::text($reason) . "**\n";
        }
        foreach ($result->validity->notes as $note) {
            $text .= '- note: ' . Words::text($note) . "\n";
        }
        $text .= ($result->validity->reasons === [] && $result->validity->notes === [] ? '' : "\n") . "{$figures->conditions()}\n\n";
        $rows = [['', '']];
        foreach ($figures->facts() as $name => $fact) {
            $rows[] = [$name, $fact];
        }
        $text .= Table::markdown($rows);
        if (count($figures->latencyRows()) > 1) {
            $text .= "\n" . Table::markdown($figures->latencyRows());
        }
        foreach ($result->thresholds as $i => $outcome) {
            $text .= ($i === 0 ? "\n" : '') . sprintf("- [%s] %s\n", $outcome->holds ? 'x' : ' ', Words::text($outcome->text));
        }
        if ($result->arguments !== []) {
            $text .= "\n" . Words::block($figures->command());
        }

        return $text;
    }
}
