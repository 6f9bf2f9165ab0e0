--TEST--
A task that has to run within the one that submitted it (it captures what cannot travel, or that one is a fork of the caller) heeds its own deadline: asked, interrupted, killed; the one around it goes on where it may
--EXTENSIONS--
tusk
--FILE--
<?php
require __DIR__ . '/../peer.inc';

use Tusk\Parallel\{Pool, Task, WorkerCrashed};

/** What a task of a task says that lasts for ever but for its deadline. */
function inner(Closure $do): string
{
    $deaf = new class {}; // cannot travel
    $deadline = 0.05 * slow();
    do { // a machine that is busy elsewhere may not begin it in that time
        $task = Pool::current()->submit([function () use ($deaf, $do) { return $do(); }], deadline: $deadline)[0];
        $error = $task->error();
        $deadline *= 2;
    } while ($deadline < 100 && str_contains((string) $error?->getMessage(), 'before the task began'));
    return $error === null ? 'none' : $error::class . ': ' . $error->getMessage();
}
function asks(): string { while (!Task::stopping()) { usleep(1000); } return 'asked'; }
function computes(): void { for (;;) { } }
function catches(): string { try { computes(); } catch (Tusk\Parallel\DeadlineExceeded) { return 'caught'; } }

/** Nobody is killed who heeds it, but where the machine was elsewhere for the quarter of a second that a task has for that. */
function run(Pool $pool, Closure $job): string
{
    for ($left = 4; ; $left--) {
        try {
            return $pool->run($job);
        } catch (WorkerCrashed $killed) {
            $left > 0 || throw $killed;
        }
    }
}

$pool = new Pool(workers: 1, max: 1);
foreach (['asks', 'computes', 'catches'] as $what) {
    echo "$what: ", run($pool, function () use ($what) { // of a worker
        $said = inner($what(...));
        return $said . ', then ' . (Task::stopping() ? 'stopping' : 'on');
    }), "\n";
    $fork = new class {};
    echo "$what: ", run($pool, function () use ($fork, $what) { // of a fork of the caller
        return inner($what(...)) . ', then ' . (Task::stopping() ? 'stopping' : 'on');
    }), "\n";
}
// The deadline of the one around it is the nearer one.
$error = $pool->submit([function () { return inner(fn () => computes()); }], deadline: 0.001)[0]->error();
echo $error::class, "\n";
// Who heeds nothing is killed, and the one around it with it.
$error = $pool->submit([function () {
    return inner(function () { for (;;) { try { computes(); } catch (Throwable) { } } });
}])[0]->error();
echo $error::class, "\n";
echo $pool->run(fn () => 'alive'), "\n";
?>
--EXPECTF--
asks: Tusk\Parallel\DeadlineExceeded: The deadline passed while the task ran, then on
asks: Tusk\Parallel\DeadlineExceeded: The deadline passed while the task ran, then on
computes: Tusk\Parallel\DeadlineExceeded: The deadline passed while the task ran, then on
computes: Tusk\Parallel\DeadlineExceeded: The deadline passed while the task ran, then on
catches: Tusk\Parallel\DeadlineExceeded: The deadline passed while the task ran (task: closure of %swhat-runs-in-the-task-around-it-heeds-its-own-deadline.php:12), then on
catches: Tusk\Parallel\DeadlineExceeded: The deadline passed while the task ran (task: closure of %swhat-runs-in-the-task-around-it-heeds-its-own-deadline.php:12), then on
Tusk\Parallel\DeadlineExceeded
Tusk\Parallel\WorkerCrashed
alive
