--TEST--
Tasks nested deeper than a worker has places run in the task itself, whose own tasks do too
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\Pool;

final class Down
{
    public static function depth(int $left): int
    {
        return $left === 0 ? 0 : 1 + Pool::current()->submit([[self::class, 'depth', $left - 1]])[0]->await();
    }
}
foreach ([[1, 1], [2, 4]] as [$workers, $max]) {
    $pool = new Pool(workers: $workers, max: $max);
    $task = $pool->submit([[Down::class, 'depth', 400]], deadline: 60.0)[0]; // a worker has 64 places
    try {
        var_dump($task->await());
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
    var_dump($pool->run(fn () => 'whole'));
    $pool->close();
}
?>
--EXPECT--
int(400)
string(5) "whole"
int(400)
string(5) "whole"
