--TEST--
set_time_limit() in a task ends it by PHP's own error, which is told; the next task has no limit of it
--EXTENSIONS--
tusk
--INI--
display_errors=0
log_errors=0
--FILE--
<?php
use Tusk\Parallel\Pool;

$pool = new Pool(workers: 1, max: 1);
$task = $pool->task(function () {
    set_time_limit(1);
    for (;;) {
    }
});
echo get_class($task->error()), ': ', preg_replace('~ in \S+ \(.*~', '', $task->error()->getMessage()), "\n";
var_dump($pool->run('ini_get', 'max_execution_time'));
$pool->run('set_time_limit', 1);
var_dump($pool->run(function () {
    for ($until = hrtime(true) + 1500000000; hrtime(true) < $until;);
    return ini_get('max_execution_time');
}));
?>
--EXPECT--
Tusk\Parallel\WorkerCrashed: Maximum execution time of 1 second exceeded
string(1) "0"
string(1) "0"
