<?php

// SPDX-License-Identifier: MIT
// What a pool costs that a small or a grown process makes, with each kind of template: the constructor, until the first task has run, reload(), a worker's
// memory of its own when it has run tasks and when one has walked over all that it carries. Each figure from processes of their own; medians.
// php -d extension=build/ext/modules/tusk.so bench/parallel/template.php [ROUNDS]

declare(strict_types=1);

use Tusk\Parallel\{Pool, Template};

require __DIR__ . '/memory.php';

/** Every value is counted up and down once: what a copy of a process pays for looking at it. */
function walk(): int
{
    $sum = 0;
    foreach ($GLOBALS['carried'] ?? [] as $row) {
        $copy = $row;
        $sum += strlen($copy['name']);
    }
    return $sum;
}

if (($argv[1] ?? '') === 'one') {
    $carried = [];
    for ($i = 0; memory_get_usage() < (int) $argv[2] << 20; $i++) {
        $carried[] = ['id' => $i, 'name' => "user number $i", 'text' => str_repeat('x', 1000)];
    }
    $template = $argv[3] === 'fork' ? Template::Fork : Template::Fresh;
    $began = hrtime(true);
    $pool = new Pool(workers: 1, max: 1, memory: '2G', bootstrap: fn () => null, template: $template);
    $made = hrtime(true);
    $pid = $pool->run('getmypid');
    $ran = hrtime(true);
    for ($i = 0; $i < 200; $i++) {
        $pool->run('strrev', 'abc');
    }
    $idle = private_kib($pid);
    if ($template === Template::Fork) {
        $pool->run('walk');
    }
    $walked = private_kib($pid);
    $before = hrtime(true);
    $pool->reload();
    $pool->run('getmypid');
    $reloaded = hrtime(true);
    echo json_encode([($made - $began) / 1e6, ($ran - $began) / 1e6, ($reloaded - $before) / 1e6, $idle, $walked]);
    exit;
}

$settings = '-d memory_limit=-1 -d extension=' . escapeshellarg((string) (getenv('TUSK_SO') ?: dirname(__DIR__, 2) . '/build/ext/modules/tusk.so'));
$rounds = (int) ($argv[1] ?? 5);
$figures = [];
for ($round = 0; $round < $rounds; $round++) {
    foreach ([10, 100, 500] as $size) {
        foreach (['fork', 'fresh'] as $template) {
            $figures["$size $template"][] = json_decode((string) shell_exec(escapeshellarg(PHP_BINARY) . " -n $settings " . escapeshellarg(__FILE__) . " one $size $template"), true, flags: JSON_THROW_ON_ERROR);
        }
    }
}
printf("%-22s %12s %12s %12s %14s %14s  (%d rounds, load %.1f)\n", 'maker, template', 'constructor', 'first task', 'reload()', 'worker, own', 'after walking', $rounds, sys_getloadavg()[0]);
foreach ($figures as $name => $values) {
    [$size, $template] = explode(' ', $name);
    $medians = array_map(function (int $i) use ($values): float {
        $column = array_column($values, $i);
        sort($column);
        return $column[intdiv(count($column), 2)];
    }, range(0, 4));
    vprintf("%3d MB, %-14s %9.2f ms %9.2f ms %9.2f ms %10d KiB %10d KiB\n", [(int) $size, $template, ...$medians]);
}
