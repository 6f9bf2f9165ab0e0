--TEST--
A Fiber that is let go while a task of Sync in it is suspended is unwound: nothing behind the task runs, and whoever let it go, or the script's end, hears of no exit()
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\Sync;

$run = fn (string $name, Closure $wait): Closure => function () use ($name, $wait) {
    $sync = new Sync();
    [$task] = $sync->submit([function () use ($name) {
        try {
            Fiber::suspend($name);
        } finally {
            fwrite(STDOUT, "$name: the task's finally\n");
        }
    }]);
    $GLOBALS['task'] = $task;
    try {
        $wait($task, $sync);
        echo "$name: goes on\n";
    } catch (Throwable $e) {
        echo "$name: ", get_class($e), "\n";
    } finally {
        echo "$name: finally\n";
    }
};
$ways = [
    'await' => fn ($task) => $task->await(),
    'error' => fn ($task) => $task->error(),
    'wait' => fn ($task, $sync) => $sync->wait([$task]),
];
foreach ($ways as $name => $wait) {
    $fiber = new Fiber($run($name, $wait));
    $fiber->start();
    unset($fiber);
    echo "$name: ", $task->state()->name, ', ', get_class($task->error()), ', ', $task->error()->getMessage(), "\n";
}
[$exits] = (new Sync())->submit([fn () => exit(3)]);
echo $exits->error()->getMessage(), "\n";
$left = new Fiber($run('left', $ways['await']));
$left->start();
fwrite(STDOUT, "the script ends\n"); // an echo would be the task's
?>
--EXPECTF--
await: the task's finally
await: finally
await: Cancelled, Tusk\Parallel\Cancelled, The fiber that ran the task was let go (task: closure of %sa-fiber-let-go-amid-a-task-of-sync-ends-as-any-other.php:6)
error: the task's finally
error: finally
error: Cancelled, Tusk\Parallel\Cancelled, The fiber that ran the task was let go (task: closure of %sa-fiber-let-go-amid-a-task-of-sync-ends-as-any-other.php:6)
wait: the task's finally
wait: finally
wait: Cancelled, Tusk\Parallel\Cancelled, The fiber that ran the task was let go (task: closure of %sa-fiber-let-go-amid-a-task-of-sync-ends-as-any-other.php:6)
The task called exit(3) (task: closure of %sa-fiber-let-go-amid-a-task-of-sync-ends-as-any-other.php:34)
the script ends
left: the task's finally
left: finally
