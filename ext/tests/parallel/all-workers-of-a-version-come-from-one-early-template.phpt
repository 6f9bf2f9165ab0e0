--TEST--
Whatever worker is forked, when and why ever, its parent is the template that was made with the pool, not the process that has grown since; reload() and only that is a new template
--EXTENSIONS--
tusk
posix
--FILE--
<?php
use Tusk\Parallel\{Pool, Template};

/** @return array{int, int, bool, bool} the worker, its parent, and whether it has what the maker grew later */
function look(): array
{
    return [getmypid(), posix_getppid(), class_exists('Late', false), isset($GLOBALS['grown'])];
}

/** All workers of the pool, each once: a task each, that ends when all have begun. */
function each_worker(Pool $pool, int $count): array
{
    $begun = tempnam(sys_get_temp_dir(), 'tusk');
    $tasks = $pool->submit(array_fill(0, $count, [function () use ($begun, $count): array {
        file_put_contents($begun, 'x', FILE_APPEND);
        for ($i = 0; $i < 20_000 && filesize($begun) < $count; $i++) {
            clearstatcache();
            usleep(1000);
        }
        return look();
    }]));
    $found = array_map(fn ($task): array => $task->await(), $tasks);
    unlink($begun);
    return $found;
}

foreach ([Template::Fork, Template::Fresh] as $template) {
    $pool = new Pool(workers: 1, max: 4, bootstrap: static function (): void {
        if (!function_exists('look')) { // fresh: it has nothing yet
            function look(): array
            {
                return [getmypid(), posix_getppid(), class_exists('Late', false), isset($GLOBALS['grown'])];
            }
        }
    }, template: $template);
    $first = $pool->run('look');
    if (!class_exists('Late', false)) {
        eval('class Late {}');
    }
    $grown = str_repeat('x', 32 << 20);
    $all = each_worker($pool, 4);
    echo $template->name, ': ', count(array_unique(array_column($all, 0))), " workers\n";
    posix_kill($first[0], 9);
    do { // until the one in its place has answered
        $found = each_worker($pool, 4);
    } while (in_array($first[0], array_column($found, 0), true));
    $seen = [$first, ...$all, ...$found];
    $parents = array_unique(array_column($seen, 1));
    var_dump(count($parents) === 1, in_array(getmypid(), $parents, true));
    echo 'of what came later they have: ', implode(', ', array_unique(array_map(fn (array $of): string => json_encode(array_slice($of, 2)), $seen))), "\n";
    $pool->reload();
    $after = $pool->run('look');
    var_dump(!in_array($after[1], $parents, true), $after[1] !== getmypid());
    echo 'after reload(): ', json_encode(array_slice($after, 2)), "\n";
    $pool->close();
    unset($grown);
}
?>
--EXPECT--
Fork: 4 workers
bool(true)
bool(false)
of what came later they have: [false,false]
bool(true)
bool(true)
after reload(): [true,true]
Fresh: 4 workers
bool(true)
bool(false)
of what came later they have: [false,false]
bool(true)
bool(true)
after reload(): [false,false]
