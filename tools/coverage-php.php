<?php

// SPDX-License-Identifier: MIT
// The table of tools/coverage-php, and the lines that nobody ran: php tools/coverage-php.php ROOT FOLDER
declare(strict_types=1);

const HAS_CODE = 1;
const RAN = 2;

require __DIR__ . '/coverage-report.php';

[, $root, $folder] = $argv;
report('package', lines($root, $folder), "$folder/uncovered");

/** @return iterable<array{group: string, source: string, line: int, text: string, ran: bool}> */
function lines(string $root, string $folder): iterable
{
    foreach (sources($root) as $source) {
        $marks = marks("$folder/marks/" . strtr($source, '/', '%'), "$root/$source", "$folder/bin/php");
        $package = (string) preg_replace('~^(php/src/[^/.]+|apps/[^/]+|bench/lib).*~', '$1', $source);
        foreach (file("$root/$source") ?: [] as $i => $line) {
            $mark = ord($marks[$i + 1] ?? "\0");
            if (($mark & (HAS_CODE | RAN)) !== 0) {
                yield ['group' => $package, 'source' => $source, 'line' => $i + 1, 'text' => $line, 'ran' => ($mark & RAN) !== 0];
            }
        }
    }
}

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
