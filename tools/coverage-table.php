<?php

// SPDX-License-Identifier: MIT
// usage: php tools/coverage-table.php TREE LINES.json LINES.txt
// Makes of gcovr's JSON the report of tools/coverage.
declare(strict_types=1);

require __DIR__ . '/coverage-report.php';

[, $tree, $json, $list] = $argv;
report('folder', lines($tree, $json), $list);

/** @return iterable<array{group: string, source: string, line: int, text: string, ran: bool}> */
function lines(string $tree, string $json): iterable
{
    /** @var array{files: list<array{file: string, lines: list<array{line_number: int, count: int, 'gcovr/noncode'?: bool}>}>} $report */
    $report = json_decode((string) file_get_contents($json), true, 512, JSON_THROW_ON_ERROR);
    foreach ($report['files'] as ['file' => $file, 'lines' => $lines]) {
        // The extension is compiled from links in build/ext.
        $name = preg_replace('~^build/ext(-asan)?/~', 'ext/', $file) ?? $file;
        $source = file("$tree/$file", FILE_IGNORE_NEW_LINES) ?: [];
        foreach ($lines as $line) {
            if (!($line['gcovr/noncode'] ?? false)) {
                $number = $line['line_number'];
                yield ['group' => dirname($name), 'source' => $name, 'line' => $number, 'text' => $source[$number - 1] ?? '', 'ran' => $line['count'] > 0];
            }
        }
    }
}
