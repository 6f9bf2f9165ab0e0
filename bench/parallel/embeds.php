<?php

// SPDX-License-Identifier: MIT
// How long a dashboard of 3, 5 and 11 slow embeds takes, one after another and side by side. The page's own method runs in this process (client()->get()), the embeds where the
// engine says. "Over the longest embed" is the page's time less that of the embed that took longest, as stamped where it ran, from its first line to its last: a delay of 50 ms takes
// some 50.1 to 50.4 by itself, engine or not. "Over the delay" has that in it. "Floor in C" is the same of eleven processes that are woken, sleep and answer, and do nothing else:
// what the machine takes by itself (absent without cc).
// php bench/parallel/embeds.php [ITERATIONS]

declare(strict_types=1);

const ANY_ARGUMENTS = true; // not an example's port
require __DIR__ . '/../../examples/load.php';
require __DIR__ . '/../../apps/dashboard/autoload.php';

use Tusk\Dashboard\{Dashboard, Run, Sheet};
use Tusk\Parallel\Pool;
use Tusk\Resource\Application;
use Tusk\Terminal\ExitCode;

$usage = "usage: embeds.php [ITERATIONS], 5 where none are given\n";
if (array_intersect(['--help', '-h'], $argv) !== []) {
    echo $usage;
    exit(ExitCode::Done->value);
}
$iterations = filter_var($argv[1] ?? 5, FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 1_000_000]]);
if ($iterations === false || $argc > 2) {
    fwrite(STDERR, 'embeds: ' . ($argc > 2 ? 'one argument at most' : "$argv[1] is no number of iterations") . "\n$usage");
    exit(ExitCode::WrongUsage->value);
}
$pool = new Pool(workers: 11, max: 11);
$dashboard = new Dashboard();
$sequential = $dashboard->sequential();
$engines = ['worker pool' => $dashboard->workers($pool), 'fibers' => $dashboard->fibers()];

/** @param list<float> $values */
function mean(array $values): float
{
    return array_sum($values) / count($values);
}

/** @param list<float> $values */
function median(array $values): float
{
    sort($values);

    return $values[intdiv(count($values), 2)];
}

foreach ($engines as $engine) { // until each worker has met the application
    for ($i = 0; $i < 3; $i++) {
        Run::of($engine, Sheet::Large, 5);
    }
}
$floor = (string) tempnam(sys_get_temp_dir(), 'tusk-floor');
exec('cc -std=gnu11 -O2 -o ' . escapeshellarg($floor) . ' ' . escapeshellarg(__DIR__ . '/floor.c') . ' 2>&1', $said, $failed);
$large = $machine = [];
foreach ($engines as $name => $engine) {
    foreach ([50, 5, 1] as $delay) {
        printf("Engine: %s\nIterations: %d\nDelay per resource: %dms\n\n", $name, $iterations, $delay);
        foreach ([Sheet::Small, Sheet::Medium, Sheet::Large] as $sheet) {
            $sync = $parallel = $over = $late = [];
            for ($i = 0; $i < $iterations; $i++) { // in turn, so that both meet the same machine
                $sync[] = Run::of($sequential, $sheet, $delay)->milliseconds();
                $run = Run::of($engine, $sheet, $delay);
                $parallel[] = $run->milliseconds();
                $over[] = $run->overhead();
                $late[] = $run->milliseconds() - $delay;
            }
            printf("--- %s Dashboard (%d embeds) ---\n", $sheet->name, $sheet->embeds());
            printf("Sync: %.2fms (avg)\nParallel: %.2fms (avg)\nSpeedup: %.2fx\n", mean($sync), mean($parallel), mean($sync) / mean($parallel));
            printf("Over the longest embed: %.2fms (avg), %.2f (median), %.2f to %.2f\n", mean($over), median($over), min($over), max($over));
            printf("Over the delay: %.2fms (avg), %.2f (median), %.2f to %.2f\n\n", mean($late), median($late), min($late), max($late));
            if ($sheet === Sheet::Large && $failed === 0) {
                $machine[$delay][] = (float) shell_exec("$floor eleven " . max(5, $iterations) . " $delay") / 1000;
                printf("Floor in C: %.2fms over the longest (median)\n\n", end($machine[$delay]));
            }
            if ($sheet === Sheet::Large) {
                $large[$name][$delay] = [median($over), median($sync) / median($parallel)];
            }
        }
    }
}
unlink($floor);
foreach ($large as $name => $of) {
    printf("W2, 11 embeds, %s, medians at load %.1f:\n", $name, sys_getloadavg()[0]);
    foreach ([[50, $of[50][0] / 0.6, 'at most 0.6 ms over the longest'], [5, $of[5][0] / 0.5, 'at most 0.5 ms over the longest'], [1, 7 / $of[1][1], 'at least 7x']] as [$delay, $ratio, $target]) {
        printf("  %2d ms: %.2f of the target (%s): %s\n", $delay, $ratio, $target, $ratio <= 1 ? 'reached' : 'missed');
    }
}
