--TEST--
Pool::expect() is a hint: the tasks come or not, here or in a task, before and after; a number that is none is refused
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\Pool;

function inner(): int
{
    Pool::current()->expect(3);
    return array_sum(array_map(fn ($task) => $task->await(), Pool::current()->submit([['strlen', 'a'], ['strlen', 'bc'], ['strlen', 'def']])));
}
$pool = new Pool(workers: 2, max: 3);
$pool->expect(11);
for ($i = 0; $i < 3; $i++) {
    $pool->expect(PHP_INT_MAX);
    var_dump($pool->run('strlen', str_repeat('x', $i)));
}
$pool->expect(1);
var_dump($pool->run('inner'));
foreach ([0, -1] as $tasks) {
    try {
        $pool->expect($tasks);
    } catch (\ValueError $e) {
        echo $e->getMessage(), "\n";
    }
}
$pool->close();
$pool->expect(1);
echo "done\n";
?>
--EXPECT--
int(0)
int(1)
int(2)
int(6)
Tusk\Parallel\Pool::expect(): Argument #1 ($tasks) must be positive
Tusk\Parallel\Pool::expect(): Argument #1 ($tasks) must be positive
done
