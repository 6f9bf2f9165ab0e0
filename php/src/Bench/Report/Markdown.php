<?php

declare(strict_types=1);

namespace Tusk\Bench\Report;

use Tusk\Terminal\Table;
use Tusk\Bench\Result;

/** The report for an issue or a wiki. */
final class Markdown
{
    public static function write(Result $result): string
    {
        $figures = new Figures($result);
        $text = "## {$figures->verdict()}: `{$figures->title()}`\n\n";
        foreach ($result->validity->reasons as $reason) {
            $text .= "- **$reason**\n";
        }
        foreach ($result->validity->notes as $note) {
            $text .= "- note: $note\n";
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
            $text .= ($i === 0 ? "\n" : '') . sprintf("- [%s] %s\n", $outcome->holds ? 'x' : ' ', $outcome->text);
        }
        if ($result->arguments !== []) {
            $text .= "\n```\n{$figures->command()}\n```\n";
        }

        return $text;
    }
}
