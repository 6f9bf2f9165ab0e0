--TEST--
Arguments that take more memory than a worker's memory: leaves are that task's failure, and the worker stays
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') { die('skip no memory limit without the Zend allocator'); } ?>
--INI--
memory_limit=256M
--FILE--
<?php
use Tusk\Parallel\Pool;

final class Row { public $a, $b, $c; }

$pool = new Pool(workers: 1, max: 1, memory: '12M');
$worker = $pool->run('getmypid');
$captured = str_repeat('x', 24 << 20);
$jobs = [
    'a string' => ['strlen', str_repeat('x', 24 << 20)],
    'a list' => ['count', range(1, 1_000_000)],
    'rows' => ['count', array_fill(0, 50_000, ['id' => 1, 'name' => 'n'])],
    'objects' => ['count', array_map(fn (): Row => new Row, range(1, 50_000))],
    'captured' => fn (): int => strlen($captured),
    'what fits' => ['strlen', str_repeat('x', 4 << 20)],
];
foreach ($pool->submit($jobs) as $what => $task) {
    $error = $task->error();
    echo "$what: ", $error === null ? $task->await() : $error::class . ': ' . $error->getMessage(), "\n";
}
var_dump($pool->run('getmypid') === $worker);
?>
--EXPECTF--
a string: Tusk\Parallel\CannotTravel: $args: they take more than the memory limit where the task runs leaves: raise memory: of the pool, or pass less (task: $jobs['a string'], strlen())
a list: Tusk\Parallel\CannotTravel: $args: they take more than the memory limit where the task runs leaves: raise memory: of the pool, or pass less (task: $jobs['a list'], count())
rows: Tusk\Parallel\CannotTravel: $args: they take more than the memory limit where the task runs leaves: raise memory: of the pool, or pass less (task: $jobs['rows'], count())
objects: Tusk\Parallel\CannotTravel: $args: they take more than the memory limit where the task runs leaves: raise memory: of the pool, or pass less (task: $jobs['objects'], count())
captured: Tusk\Parallel\CannotTravel: $args: they take more than the memory limit where the task runs leaves: raise memory: of the pool, or pass less (task: $jobs['captured'], closure of %sarguments-beyond-the-memory-limit-of-a-worker-are-a-failed-task.php:14)
what fits: 4194304
bool(true)
