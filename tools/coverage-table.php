<?php
// SPDX-License-Identifier: MIT
// usage: php tools/coverage-table.php TREE LINES.json LINES.txt
// Makes of gcovr's JSON a table by folder, and a list of the lines that nothing ran, with their text. A part of tools/coverage.

declare(strict_types=1);

[, $tree, $json, $list] = $argv;
/** @var array{files: list<array{file: string, lines: list<array{line_number: int, count: int, 'gcovr/noncode'?: bool}>}>} $report */
$report = json_decode((string) file_get_contents($json), true, 512, JSON_THROW_ON_ERROR);
$folders = [];
$text = '';
foreach ($report['files'] as ['file' => $file, 'lines' => $lines]) {
    $lines = array_filter($lines, static fn (array $line): bool => !($line['gcovr/noncode'] ?? false));
    $missed = array_column(array_filter($lines, static fn (array $line): bool => $line['count'] === 0), 'line_number');
    // The extension is compiled from links in build/ext.
    $name = preg_replace('~^build/ext(-asan)?/~', 'ext/', $file) ?? $file;
    $folder = dirname($name);
    $folders[$folder] ??= [0, 0];
    $folders[$folder][0] += count($lines);
    $folders[$folder][1] += count($missed);
    $source = file("$tree/$file", FILE_IGNORE_NEW_LINES) ?: [];
    foreach ($missed as $number) {
        $text .= sprintf("%s:%d: %s\n", $name, $number, trim($source[$number - 1] ?? ''));
    }
}
file_put_contents($list, $text);
ksort($folders);
printf("%-24s %8s %8s %8s\n", 'folder', 'lines', 'not run', 'run');
$folders['together'] = [array_sum(array_column($folders, 0)), array_sum(array_column($folders, 1))];
foreach ($folders as $folder => [$all, $none]) {
    printf("%-24s %8d %8d %7.1f%%\n", $folder, $all, $none, $all === 0 ? 100 : 100 * ($all - $none) / $all);
}
echo "what was not run: $list\n";
