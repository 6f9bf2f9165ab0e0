--TEST--
Pools that nobody holds end, also with tasks that nobody waits for, wherever they are made
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (PHP_OS_FAMILY !== 'Linux') die('skip Linux only'); if ((int) getenv('TUSK_SLOW') >= 10) die('skip templates keep a copy of the loop that they were made on, which valgrind takes for lost'); if (getenv('SKIP_ASAN')) die("skip ASan warns of _exit() on a fiber's stack");
--FILE--
<?php
use Tusk\Parallel;
use Tusk\Parallel\Async;
use Tusk\Parallel\Pool;

function drop(): void
{
    $pool = new Pool(workers: 1, max: 1);
    $pool->task('sleep', 100);
}
final class Drops
{
    public function __destruct()
    {
        drop();
    }
}
$open = fn (): int => count(scandir('/proc/self/fd'));
$kept = [new Pool(workers: 1, max: 1), new Pool(workers: 1, max: 1)];
$before = $open();
$most = 0;
foreach ([
    'plain' => fn () => drop(),
    'in a fiber' => fn () => (new Fiber(fn () => drop()))->start(),
    'in a task' => fn () => (new Async())->submit([fn () => drop()])[0]->await(),
    'in a destructor' => fn () => (fn () => null)(new Drops()),
] as $where => $make) {
    for ($i = 0; $i < 25; $i++) {
        $make();
        $most = max($most, $open() - $before);
    }
    echo $where, ': ', $most < 8 * 10 ? 'flat' : "$most descriptors", "\n";
}
echo $kept[0]->run('strrev', 'abc'), $kept[1]->run('strrev', 'def'), "\n";
register_shutdown_function(function (): void {
    drop();
    echo "the end\n";
});
$GLOBALS['last'] = new Pool(workers: 1, max: 1);
$GLOBALS['last']->task('sleep', 100);
?>
--EXPECT--
plain: flat
in a fiber: flat
in a task: flat
in a destructor: flat
cbafed
the end
