--TEST--
Deadlines and cancelling end tasks that wait, that loop, that sleep, and that do not heed
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Pool, Task};

$pool = new Pool(workers: 1, max: 1);
$tell = function (Task $task): string {
    $error = $task->error();
    return ($error === null ? 'no error' : get_class($error) . ': ' . preg_replace('~worker \d+ of the pool \(process \d+\)~', 'W', $error->getMessage())) . ' ' . $task->state()->name;
};
$deaf = function () {
    for (;;) {
        try {
            for (;;) {
            }
        } catch (Throwable) {
        }
    }
};
$heeds = function () {
    while (!Task::stopping()) {
        usleep(1000);
    }
    return 'heeded';
};
$pool->run(fn () => 1); // the worker is there: what passes while it is forked is not "while the task ran"
foreach ([
    'zero' => [fn () => 1, 0.0],
    'loop' => [function () { for (;;); }, 0.25],
    'sleep' => [function () { sleep(100); return 1; }, 0.25],
    'deaf' => [$deaf, 0.25],
    'soon enough' => [fn () => 1, 100.0],
] as $name => [$job, $deadline]) {
    for ($try = 0; $try < 20; $try++) { // a machine that is busy elsewhere may let who heeds run too late for that
        $said = $tell($pool->submit([$job], deadline: $deadline)[0]);
        if ($name === 'deaf' || !str_contains($said, 'W was killed')) {
            break;
        }
        $pool->run(fn () => 1);
    }
    echo "$name: $said\n";
}
$tasks = $pool->submit(['first' => $deaf, 'second' => fn () => 1], deadline: 0.05);
echo 'behind: ', $tell($tasks['second']), "\n";
$tell($tasks['first']);

for ($try = 0; $try < 20; $try++) { // as above
    $pool->run(fn () => 1);
    $task = $pool->task(function () { for (;;); });
    while ($task->state()->name === 'Queued') {
        usleep(100);
    }
    $told = '';
    try {
        $task->await(0.02);
    } catch (Tusk\Parallel\DeadlineExceeded $e) {
        $told = $e->getMessage() . '; it is ' . $task->state()->name;
    }
    $behind = $pool->task(fn () => 1);
    $cancelled = [$behind->cancel(), $task->cancel(), $behind->cancel()];
    $said = $tell($task);
    if (!str_contains($said, 'W was killed')) {
        break;
    }
}
echo "$told\n";
var_dump(...$cancelled);
echo $tell($behind), "\n$said\n";
$task = $pool->task($deaf);
while ($task->state()->name === 'Queued') {
    usleep(100);
}
var_dump($task->cancel());
echo $tell($task), "\n";
var_dump($task->cancel(), $pool->run(fn () => 'goes on'));
try {
    $pool->submit([fn () => 1], -1.0);
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECTF--
zero: Tusk\Parallel\DeadlineExceeded: The deadline passed before the task began (task: closure of %sdeadlines-and-cancelling-end-tasks-at-every-stage.php:26) Failed
loop: Tusk\Parallel\DeadlineExceeded: The deadline passed while the task ran Failed
sleep: Tusk\Parallel\DeadlineExceeded: The deadline passed while the task ran Failed
deaf: Tusk\Parallel\DeadlineExceeded: The deadline passed while the task ran, and it did not heed that: W was killed (task: closure of %sdeadlines-and-cancelling-end-tasks-at-every-stage.php:9) Failed
soon enough: no error Done
behind: Tusk\Parallel\DeadlineExceeded: The deadline passed before the task began (task: $jobs['second'], closure of %sdeadlines-and-cancelling-end-tasks-at-every-stage.php:41) Failed
The task has not ended in the time that one waited; it goes on; it is Running
bool(true)
bool(true)
bool(false)
Tusk\Parallel\Cancelled: The task was cancelled before it began (task: closure of %sdeadlines-and-cancelling-end-tasks-at-every-stage.php:57) Cancelled
Tusk\Parallel\Cancelled: The task was cancelled while it ran Cancelled
bool(true)
Tusk\Parallel\Cancelled: The task did not heed its cancellation: W was killed (task: closure of %sdeadlines-and-cancelling-end-tasks-at-every-stage.php:9) Cancelled
bool(false)
string(7) "goes on"
Tusk\Parallel\Pool::submit(): Argument #2 ($deadline) must be between 0 and 1e9 seconds, -1 given
