--TEST--
What ended a task but its own exceptions says which task that was: a class and method, a function, a closure by file and line, and of several jobs the key; of a pool, Sync and Async
--FILE--
<?php
use Tusk\Parallel\{Async, OnFull, Pool, Sync};

final class Work
{
    public static function dies(mixed ...$arguments): void
    {
        posix_kill(posix_getpid(), SIGKILL);
    }

    public function leaves(): void
    {
        exit(3);
    }

    /** @return resource */
    public static function file(): mixed
    {
        return fopen('php://memory', 'r');
    }
}
function dies(string $long = ''): void
{
    Work::dies();
}

function told(Closure $do): void
{
    try {
        $do();
        echo "done\n";
    } catch (Tusk\Exception $e) {
        $text = preg_replace(['~^.* \(task: ~', '~\S+/~'], ['(task: ', ''], $e->getMessage());
        echo substr($e::class, strlen('Tusk\\Parallel\\')), ' ', $text, "\n";
    }
}

$pool = new Pool(workers: 2, max: 2);
foreach (['a name' => 'dies', 'with an argument' => ['dies', str_repeat('x', 1 << 16)], 'a short one' => ['dies', 'x'], 'class and method' => [Work::class, 'dies', 7],
    'in one' => 'Work::dies', 'in one, with an argument' => ['Work::dies', 'x'], 'an object' => [new Work(), 'leaves'], 'a callable of a method' => Work::dies(...),
    'of a function' => dies(...), 'a closure' => fn () => Work::dies(),
    'a closure and an argument' => [function (string $x): void {
        Work::dies();
    }, 'x'], 'its result' => [Work::class, 'file'], 'its argument' => ['Work::dies', STDIN], 'none' => [new Work()]] as $what => $job) {
    echo "$what: ";
    told(fn () => $pool->run($job));
}
foreach ($pool->submit(['tags' => [Work::class, 'dies'], 7 => fn () => sleep(300), 'alone' => 'dies'], deadline: max(1, (int) getenv('TUSK_SLOW'))) as $task) {
    told(fn () => $task->await());
}
told(fn () => $pool->submit(['x' => 'time', 'y' => ['dies', STDIN]]));
told(fn () => $pool->task(fn () => 1)->await());
foreach ([new Sync(), new Async()] as $engine) {
    $engine instanceof Sync && told(fn () => $engine->submit(['one' => [Work::class, 'file'], 'two' => 'time'])['one']->await());
    told(fn () => $engine->submit(['one' => [new Work(), 'leaves'], 'two' => 'time'])['one']->await());
}
$task = $pool->submit(['late' => 'time'], deadline: 0.0)['late'];
told(fn () => $task->await());
told(fn () => $pool->submit(['first' => 'time', 5 => 'time'], deadline: 0.0)[5]->await());
$pool->close();
$small = new Pool(workers: 1, max: 1, queue: 1, onFull: OnFull::Run);
[, , $here] = $small->submit([fn () => usleep(300000), 'time', [new Work(), 'leaves']]);
told(fn () => $here->await());
$small->close();
?>
--EXPECT--
a name: WorkerCrashed (task: dies())
with an argument: WorkerCrashed (task: dies())
a short one: WorkerCrashed (task: dies())
class and method: WorkerCrashed (task: Work::dies())
in one: WorkerCrashed (task: Work::dies())
in one, with an argument: WorkerCrashed (task: Work::dies())
an object: TaskExited (task: Work::leaves())
a callable of a method: WorkerCrashed (task: Work::dies())
of a function: WorkerCrashed (task: dies())
a closure: WorkerCrashed (task: closure of what-a-task-did-not-throw-names-it.php:41)
a closure and an argument: WorkerCrashed (task: closure of what-a-task-did-not-throw-names-it.php:42)
its result: CannotTravel (task: Work::file())
its argument: CannotTravel (task: Work::dies())
none: CannotTravel $job: is neither a closure, nor a callable string, nor an array: give a closure, 'strlen', or [Users::class, 'find', 7]
WorkerCrashed (task: $jobs['tags'], Work::dies())
DeadlineExceeded The deadline passed while the task ran
WorkerCrashed (task: $jobs['alone'], dies())
CannotTravel (task: dies())
done
CannotTravel (task: $jobs['one'], Work::file())
TaskExited (task: $jobs['one'], Work::leaves())
TaskExited (task: $jobs['one'], Work::leaves())
DeadlineExceeded (task: time())
DeadlineExceeded (task: $jobs[5], time())
TaskExited (task: $jobs[2], Work::leaves())
