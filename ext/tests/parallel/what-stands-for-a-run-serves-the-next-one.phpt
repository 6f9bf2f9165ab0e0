--TEST--
What stands for one run() serves the next one, and has nothing of it left
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\Pool;

final class Point { public function __construct(public int $x = 1) {} }
function fails(): never { throw new RuntimeException('of a task'); }
function leaves(): never { echo 'said'; exit(3); }

$pool = new Pool(workers: 1, max: 1, classes: [Point::class]);
$outcome = function (mixed ...$job) use ($pool): string {
    try {
        return json_encode($pool->run(...$job));
    } catch (Throwable $e) {
        return get_class($e) . ': ' . $e->getMessage();
    }
};
foreach (['strlen', 'fails', 'abs', 'leaves', 'abs', 'no_such', 'abs'] as $name) {
    echo $outcome($name, ...($name === 'strlen' ? ['abc'] : ($name === 'abs' ? [-4] : []))), "\n";
}
$first = $pool->run(fn () => new Point(1));
$second = $pool->run(fn () => new Point(2));
echo $first->x, $second->x, "\n";
$task = $pool->task('abs', -7); // one that is kept is its own
echo $pool->run('abs', -8), $task->await(), $pool->run('abs', -9), $task->await(), "\n";
for ($i = 0; $i < 10; $i++) {
    $pool->run('range', 1, 100);
}
$before = memory_get_usage();
for ($i = 0; $i < 1000; $i++) {
    $pool->run('range', 1, 100);
}
echo memory_get_usage() - $before, " bytes more\n";
$pool->close();
echo $outcome('abs', -1), "\n";
?>
--EXPECT--
3
RuntimeException: of a task
4
Tusk\Parallel\TaskExited: The task called exit(3) (task: leaves())
4
Error: no_such() does not exist in the worker: let bootstrap: load the file that declares it (or an autoloader that does), or load it before the pool is made
4
12
8797
0 bytes more
Tusk\Exception: The pool is closed
