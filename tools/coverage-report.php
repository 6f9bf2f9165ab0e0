<?php

// SPDX-License-Identifier: MIT
// What tools/coverage and tools/coverage-php print in the end: a table by group, and a list of the lines that nothing ran.
declare(strict_types=1);

/**
 * @param string $group what a row of the table stands for: "folder", "package"
 * @param iterable<array{group: string, source: string, line: int, text: string, ran: bool}> $lines lines with code
 * @param string $list the file for those that nothing ran
 */
function report(string $group, iterable $lines, string $list): void
{
    $groups = [];
    $text = '';
    foreach ($lines as $line) {
        $groups[$line['group']] ??= [0, 0];
        $groups[$line['group']][0]++;
        if (!$line['ran']) {
            $groups[$line['group']][1]++;
            $text .= sprintf("%s:%d: %s\n", $line['source'], $line['line'], trim($line['text']));
        }
    }
    file_put_contents($list, $text);
    ksort($groups);
    $groups['together'] = [array_sum(array_column($groups, 0)), array_sum(array_column($groups, 1))];
    printf("%-28s %8s %8s %8s\n", $group, 'lines', 'not run', 'run');
    foreach ($groups as $name => [$all, $none]) {
        printf("%-28s %8d %8d %7.1f%%\n", $name, $all, $none, $all === 0 ? 100 : 100 * ($all - $none) / $all);
    }
    echo "what was not run: $list\n";
}
