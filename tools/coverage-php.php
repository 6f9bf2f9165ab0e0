<?php

// SPDX-License-Identifier: MIT
// The table of tools/coverage-php, and the lines that nobody ran: php tools/coverage-php.php ROOT FOLDER
declare(strict_types=1);

const HAS_CODE = 1;
const RAN = 2;

[, $root, $folder] = $argv;
$packages = [];
$uncovered = '';
foreach (sources($root) as $source) {
    $marks = marks("$folder/marks/" . strtr($source, '/', '%'), "$root/$source", "$folder/bin/php");
    $lines = file("$root/$source") ?: [];
    $package = (string) preg_replace('~^(php/src/[^/.]+|apps/[^/]+|bench/lib).*~', '$1', $source);
    $packages[$package] ??= [0, 0];
    foreach ($lines as $i => $line) {
        $mark = ord($marks[$i + 1] ?? "\0");
        if (($mark & (HAS_CODE | RAN)) === 0) {
            continue;
        }
        $packages[$package][0]++;
        if (($mark & RAN) !== 0) {
            $packages[$package][1]++;
        } else {
            $uncovered .= sprintf("%s:%d: %s\n", $source, $i + 1, trim($line));
        }
    }
}
file_put_contents("$folder/uncovered", $uncovered);
$packages['together'] = [array_sum(array_column($packages, 0)), array_sum(array_column($packages, 1))];
printf("%-28s %7s %7s %7s\n", 'package', 'lines', 'never', 'run');
foreach ($packages as $name => [$all, $ran]) {
    printf("%-28s %7d %7d %6.1f%%\n", $name, $all, $all - $ran, $all === 0 ? 100 : 100 * $ran / $all);
}
echo "the lines that nobody ran: $folder/uncovered\n";

/** @return list<string> */
function sources(string $root): array
{
    $found = [];
    foreach (['php/src', 'apps', 'bench/lib'] as $place) {
        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator("$root/$place", FilesystemIterator::SKIP_DOTS)) as $file) {
            $source = substr((string) $file, strlen($root) + 1);
            if (preg_match('~^(php/src/|apps/[^/]+/src/|bench/lib/).*\.php$~', $source) === 1) {
                $found[] = $source;
            }
        }
    }
    sort($found);

    return $found;
}

/** A source's marks; one that nobody loaded is compiled, so that its lines are known. */
function marks(string $file, string $source, string $php): string
{
    if (!is_file($file)) {
        exec(escapeshellarg($php) . ' -n -l ' . escapeshellarg($source) . ' 2>&1');
    }

    return is_file($file) ? (string) file_get_contents($file) : '';
}
