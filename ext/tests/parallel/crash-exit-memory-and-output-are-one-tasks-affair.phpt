--TEST--
A crash, exit(), the memory limit and output are one task's affair; siblings go on; retry begins again
--EXTENSIONS--
tusk
posix
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') { die('skip no memory limit without the Zend allocator'); } ?>
--INI--
display_errors=0
log_errors=0
--FILE--
<?php
use Tusk\Parallel\Pool;

$pool = new Pool(workers: 2, memory: '32M');
$mark = tempnam(sys_get_temp_dir(), 'tusk');
$jobs = [
    'killed' => fn () => posix_kill(getmypid(), 9),
    'segfault' => fn () => posix_kill(getmypid(), 11),
    'exit' => function () { echo 'left'; exit(3); },
    'memory' => fn () => str_repeat('x', 100000000),
    'fatal' => fn () => eval('class A implements Traversable {}'),
    'echo' => function () { echo 'a'; ob_start(); echo 'b'; return 1; },
    'fine' => fn () => 'fine',
];
foreach ($pool->submit($jobs) as $key => $task) {
    $error = $task->error();
    echo $key, ': ', $error === null ? var_export($task->await(), true) : get_class($error) . ': ' . preg_replace(['~ at /\S+:\d+ (?=\(tried)~', '~process \d+~', '~\d{4,}~', '~orker \d+~', '~ in \S+(?:\(\d+\).*)?:\d+(?= \(w)~'], [' ', 'process N', 'N', 'orker W', ''], $error->getMessage()), ' [', $task->output(), "]\n";
}
$first = function (string $mark) {
    file_put_contents($mark, 'x', FILE_APPEND);
    if (filesize($mark) < 3) {
        posix_kill(getmypid(), 9);
    }
    clearstatcache();
    return filesize($mark);
};
$task = $pool->submit([[$first, $mark]], retry: 5)[0];
var_dump($task->await(), $task->stats()['attempts']);
$task = $pool->submit([fn () => posix_kill(getmypid(), 9)], retry: 2)[0];
var_dump(get_class($task->error()), $task->stats()['attempts']);
unlink($mark);
$stats = $pool->stats();
var_dump($stats['open'], $stats['corrupt'], $stats['retried']);
?>
--EXPECTF--
killed: Tusk\Parallel\WorkerCrashed: Worker W of the pool (process N) was ended by signal 9 (Killed) while it ran the task (task: $jobs['killed'], closure of %scrash-exit-memory-and-output-are-one-tasks-affair.php:7) []
segfault: Tusk\Parallel\WorkerCrashed: Worker W of the pool (process N) was ended by signal 11 (Segmentation fault) while it ran the task (task: $jobs['segfault'], closure of %scrash-exit-memory-and-output-are-one-tasks-affair.php:8) []
exit: Tusk\Parallel\TaskExited: The task called exit(3) (task: $jobs['exit'], closure of %scrash-exit-memory-and-output-are-one-tasks-affair.php:9) [left]
memory: Tusk\Parallel\WorkerCrashed: Allowed memory size of N bytes exhausted (tried to allocate N bytes) (worker W, process N) (task: $jobs['memory'], closure of %scrash-exit-memory-and-output-are-one-tasks-affair.php:10) []
fatal: Tusk\Parallel\WorkerCrashed: Class A must implement interface Traversable as part of either Iterator or IteratorAggregate (worker W, process N) (task: $jobs['fatal'], closure of %scrash-exit-memory-and-output-are-one-tasks-affair.php:11) []
echo: 1 [ab]
fine: 'fine' []
int(3)
int(3)
string(27) "Tusk\Parallel\WorkerCrashed"
int(3)
int(0)
int(0)
int(4)
