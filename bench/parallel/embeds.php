<?php

// SPDX-License-Identifier: MIT
// How long a dashboard of 3, 5 and 11 slow embeds takes, one after another and side by side.
// php -d extension=build/ext/modules/tusk.so bench/parallel/embeds.php [ITERATIONS]

declare(strict_types=1);

require __DIR__ . '/../../apps/dashboard/autoload.php';

use Tusk\Dashboard\{Dashboard, Run, Sheet};
use Tusk\Parallel\Pool;
use Tusk\Resource\Application;

$iterations = (int) ($argv[1] ?? 5);
if ($iterations < 1) {
    fwrite(STDERR, "usage: embeds.php [ITERATIONS]\n");
    exit(2);
}
$pool = new Pool(workers: 11, max: 11);
$dashboard = new Dashboard();
$sequential = $dashboard->sequential();
$engines = ['worker pool' => $dashboard->workers($pool), 'fibers' => $dashboard->fibers()];

/** @return array{float, float} milliseconds of a rendering and of what is not its longest part, means */
function mean(Application $application, Sheet $sheet, float $delay, int $iterations): array
{
    Run::of($application, $sheet, $delay); // warm
    $total = $overhead = 0.0;
    for ($i = 0; $i < $iterations; $i++) {
        $run = Run::of($application, $sheet, $delay);
        $total += $run->milliseconds();
        $overhead += $run->overhead();
    }

    return [$total / $iterations, $overhead / $iterations];
}

foreach ($engines as $engine) { // until each worker has met the application
    for ($i = 0; $i < 3; $i++) {
        Run::of($engine, Sheet::Large, 5);
    }
}
foreach ($engines as $name => $engine) {
    foreach ([50, 5, 1] as $delay) {
        printf("Engine: %s\nIterations: %d\nDelay per resource: %dms\n\n", $name, $iterations, $delay);
        foreach ([Sheet::Small, Sheet::Medium, Sheet::Large] as $sheet) {
            [$sync] = mean($sequential, $sheet, $delay, $iterations);
            [$parallel, $overhead] = mean($engine, $sheet, $delay, $iterations);
            printf("--- %s Dashboard (%d embeds) ---\n", $sheet->name, $sheet->embeds());
            printf("Sync: %.2fms (avg)\nParallel: %.2fms (avg)\nSpeedup: %.2fx\n", $sync, $parallel, $sync / $parallel);
            printf("Over the longest embed: %.2fms (avg)\n\n", $overhead);
        }
    }
}
