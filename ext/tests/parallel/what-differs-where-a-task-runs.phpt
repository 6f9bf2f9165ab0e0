--TEST--
Crash, deadline, cancelling, retry and own tasks of a task of a worker, of a task's task, of a fork of the caller, and of Sync: as the guide's table says
--EXTENSIONS--
tusk
posix
--FILE--
<?php
use Tusk\Parallel\{Engine, Pool, State, Sync, Task};

final class Ends
{
    public static int $state = 0;

    public static function tell(Task $task): string
    {
        $error = $task->error();
        $how = $error !== null && preg_match('~signal \d+~', $error->getMessage(), $m) === 1 ? " $m[0]" : '';
        return ($error === null ? json_encode($task->await()) : $error::class . $how) . ' after ' . $task->stats()['attempts'];
    }

    /** Begun by somebody else: whoever waits for a task of its own runs it itself when nobody is free. */
    public static function begun(Task $task): Task
    {
        for ($end = hrtime(true) + 20_000_000_000; $task->state() === State::Queued && hrtime(true) < $end;) {
            usleep(500);
        }
        return $task;
    }

    public static function cancelled(Engine $engine, Closure $job): string
    {
        $task = self::begun($engine->submit([$job])[0]);
        $task->cancel();
        return self::tell($task);
    }

    /** @return array<string, string> as the tasks of a task end */
    public static function inner(): array
    {
        $pool = Pool::current();
        $out = ['crash' => self::tell(self::begun($pool->submit([[self::class, 'crash']])[0]))];
        $out['deadline'] = self::tell($pool->submit([[self::class, 'spin']], deadline: 0.02)[0]);
        $task = self::begun($pool->submit([[self::class, 'spin']])[0]);
        $task->cancel();
        return $out + ['cancel' => self::tell($task)];
    }

    public static function crash(): void
    {
        posix_kill(getmypid(), 9);
    }

    public static function spin(): void
    {
        for (;;);
    }

    public static function count(): int
    {
        return ++self::$state;
    }
}
$pool = new Pool(workers: 3, max: 3);
echo "of a worker:\n";
echo 'crash ', Ends::tell($pool->submit([[Ends::class, 'crash']], retry: 1)[0]), "\n";
echo 'deadline ', Ends::tell($pool->submit([[Ends::class, 'spin']], deadline: 0.02)[0]), "\n";
echo 'cancel ', Ends::cancelled($pool, fn () => Ends::spin()), "\n";

echo "of a task:\n";
foreach ($pool->run([Ends::class, 'inner']) as $what => $end) {
    echo "$what $end\n";
}

echo "of a fork of the caller:\n";
$live = new class { public int $v = 1; };
echo 'crash ', Ends::tell($pool->submit([function () use ($live) { posix_kill(getmypid(), 9); }], retry: 3)[0]), "\n";
echo 'fatal ', Ends::tell($pool->submit([function () use ($live) { ini_set('log_errors', '0'); trigger_error('the end', E_USER_ERROR); }], retry: 3)[0]), "\n";
echo 'deadline ', Ends::tell($pool->submit([function () use ($live) { for (;;); }], deadline: 0.02)[0]), "\n";
echo 'cancel ', Ends::cancelled($pool, function () use ($live) { for (;;); }), "\n";
echo 'own tasks ', json_encode($pool->run(function () use ($live): bool {
    $pids = array_map(fn (Task $task) => $task->await(), Pool::current()->submit(['getmypid', 'getmypid']));
    return array_unique([...$pids, getmypid()]) === [getmypid()];
})), ' ', Ends::$state, "\n";
$pool->run(function () use ($live) { Ends::count(); });
echo 'state ', Ends::$state, "\n";

echo "of Sync:\n";
$sync = new Sync();
echo 'deadline ', Ends::tell($sync->submit([function () { usleep(20_000); }], deadline: 0.001)[0]), "\n";
$task = $sync->submit([fn () => 1])[0];
var_dump($task->cancel());
echo 'cancel ', Ends::tell($task), "\n";
echo 'own tasks ', Ends::tell($sync->submit([fn () => (new Sync())->submit(['getmypid'])[0]->await() === getmypid()])[0]), "\n";
$sync->submit([[Ends::class, 'count']])[0]->await();
echo 'state ', Ends::$state, "\n";
?>
--EXPECT--
of a worker:
crash Tusk\Parallel\WorkerCrashed signal 9 after 2
deadline Tusk\Parallel\DeadlineExceeded after 1
cancel Tusk\Parallel\Cancelled after 1
of a task:
crash Tusk\Parallel\WorkerCrashed signal 9 after 1
deadline Tusk\Parallel\DeadlineExceeded after 1
cancel Tusk\Parallel\Cancelled after 1
of a fork of the caller:
crash Tusk\Parallel\WorkerCrashed signal 9 after 1
fatal Tusk\Parallel\WorkerCrashed after 1
deadline Tusk\Parallel\DeadlineExceeded after 1
cancel Tusk\Parallel\Cancelled after 1
own tasks true 0
state 0
of Sync:
deadline Tusk\Parallel\DeadlineExceeded after 1
bool(true)
cancel Tusk\Parallel\Cancelled after 1
own tasks true after 1
state 1
