--TEST--
exit(), fatal errors and exceptions of a value's own code, on its way out, on its way back and where it is let go, are its task's
--EXTENSIONS--
tusk
--SKIPIF--
<?php if ((int) getenv('TUSK_SLOW') >= 10) { die('skip what a fatal error leaves in a worker that ends by it is lost, which valgrind says'); } ?>
--INI--
display_errors=0
--FILE--
<?php
use Tusk\Parallel\{Pool, Sync};

const LARGE = 200 << 20;
$main = getmypid();
register_shutdown_function(function () use ($main): void {
    echo getmypid() === $main ? "the application ends\n" : "THE APPLICATION ENDS IN A WORKER\n";
});

function act(string $what): void
{
    match ($what) {
        'exit' => exit(3),
        'throw' => throw new DomainException('thrown'),
        'error' => trigger_error('wrong', E_USER_ERROR),
        // without PHP's allocator there is no limit
        'memory' => getenv('USE_ZEND_ALLOC') === '0' ? trigger_error('Allowed memory size of 134217728', E_USER_ERROR) : str_repeat('x', LARGE),
        default => null,
    };
}

/** Does it in a worker only, so that it arrives. */
final class Leaves
{
    public function __construct(public string $what)
    {
    }

    public function __serialize(): array
    {
        act($this->what);
        return [];
    }

    public function __unserialize(array $values): void
    {
    }
}

final class Dies
{
    public function __construct(public string $what)
    {
    }

    public function __serialize(): array
    {
        return [];
    }

    public function __unserialize(array $values): void
    {
        $this->what = '';
    }

    public function __destruct()
    {
        act($this->what);
    }
}

final class Arrives
{
    public static ?Closure $what = null;

    public function __serialize(): array
    {
        return [];
    }

    public function __unserialize(array $values): void
    {
        self::$what !== null && (self::$what)();
    }
}

final class Work
{
    public static function leaves(string $what): Leaves
    {
        return new Leaves($what);
    }

    public static function holds(string $what): Dies
    {
        return new Dies($what);
    }

    public static function buffers(string $what): int
    {
        ob_start(function () use ($what): string { act($what); return ''; });
        return 1;
    }

    public static function arrives(): Arrives
    {
        return new Arrives();
    }

    public static function same(mixed $value = 1): mixed
    {
        return $value;
    }
}

function tell(string $name, callable $do): void
{
    try {
        $result = get_debug_type($do());
    } catch (Throwable $e) {
        $result = get_class($e) . ': ' . preg_replace('~ \(worker .*|( bytes exhausted| in /).*~', '', $e->getMessage());
    }
    // PHP itself has these words for a memory limit met in an output callback: always before 8.2, from 8.5 on and with its own checks, and in some builds between.
    if ($name === 'buffers memory') {
        $result = str_replace('str_repeat(): Cannot use output buffering in output buffering display handlers', 'Allowed memory size of 134217728', $result);
    }
    echo "$name: $result\n";
}

$classes = ['Leaves', 'Dies', 'Arrives'];
$pool = new Pool(workers: 1, classes: $classes);
foreach (['leaves', 'holds', 'buffers'] as $method) {
    foreach (['exit', 'throw', 'error', 'memory'] as $what) {
        tell("$method $what", fn () => $pool->run([Work::class, $method, $what]));
        tell('  and then', fn () => $pool->run([Work::class, 'same']));
    }
}
$task = null;
foreach ([
    'close' => fn () => $pool->close(), 'reload' => fn () => $pool->reload(), 'run' => fn () => $pool->run([Work::class, 'same']),
    'await' => function () use (&$task) { $task->await(); }, 'state' => function () use (&$task) { $task->state(); }, 'stats' => fn () => $pool->stats(),
    'exit' => fn () => exit(4),
] as $name => $what) {
    Arrives::$what = $what;
    tell("arrives and $name", function () use ($pool, &$task) {
        [$task] = $pool->submit([[Work::class, 'arrives']]);
        return $task->await();
    });
    Arrives::$what = null;
}
final class Goes
{
    public function __construct(private Closure $what)
    {
    }

    public function __serialize(): array
    {
        ($this->what)();
        return [];
    }

    public function __unserialize(array $values): void
    {
    }
}
foreach (['close' => fn () => $pool->close(), 'reload' => fn () => $pool->reload()] as $name => $what) {
    tell("goes and $name", fn () => $pool->run([Work::class, 'same', new Goes($what)]));
}
tell('the pool', fn () => $pool->run([Work::class, 'same']));

$sync = new Sync($classes);
foreach (['exit', 'throw'] as $what) {
    tell("in Sync leaves $what", fn () => $sync->submit([[Work::class, 'leaves', $what]])[0]->await());
    tell("in Sync buffers $what", fn () => $sync->submit([[Work::class, 'buffers', $what]])[0]->await());
}
[$own] = $sync->submit([static fn () => $GLOBALS['own']->cancel()]);
var_dump($own->await(), $own->state()->name);

// exit() while the caller packs is the caller's.
$pool->run([Work::class, 'same', new Goes(fn () => exit(0))]);
echo "not reached\n";
?>
--EXPECT--
leaves exit: Tusk\Parallel\TaskExited: The task called exit(3) (task: Work::leaves())
  and then: int
leaves throw: Tusk\Parallel\CannotTravel: $result: object of Leaves: thrown (task: Work::leaves())
  and then: int
leaves error: Tusk\Parallel\WorkerCrashed: wrong
  and then: int
leaves memory: Tusk\Parallel\WorkerCrashed: Allowed memory size of 134217728
  and then: int
holds exit: Dies
  and then: int
holds throw: Dies
  and then: int
holds error: Dies
  and then: int
holds memory: Dies
  and then: int
buffers exit: Tusk\Parallel\TaskExited: The task called exit(3) (task: Work::buffers())
  and then: int
buffers throw: DomainException: thrown
  and then: int
buffers error: Tusk\Parallel\WorkerCrashed: wrong
  and then: int
buffers memory: Tusk\Parallel\WorkerCrashed: Allowed memory size of 134217728
  and then: int
arrives and close: LogicException: A value closes the pool while it is itself on its way
arrives and reload: LogicException: A value reloads the pool while it is itself on its way
arrives and run: LogicException: A value submits a task while it is itself on its way
arrives and await: LogicException: A value waits for a task while it is itself on its way
arrives and state: Arrives
arrives and stats: Arrives
arrives and exit: Tusk\Parallel\TaskExited: The task called exit(4) (task: Work::arrives())
goes and close: Tusk\Parallel\CannotTravel: $args[0]: object of Goes: A value closes the pool while it is itself on its way (task: Work::same())
goes and reload: Tusk\Parallel\CannotTravel: $args[0]: object of Goes: A value reloads the pool while it is itself on its way (task: Work::same())
the pool: int
in Sync leaves exit: Tusk\Parallel\TaskExited: The task called exit(3) (task: Work::leaves())
in Sync buffers exit: Tusk\Parallel\TaskExited: The task called exit(3) (task: Work::buffers())
in Sync leaves throw: Tusk\Parallel\CannotTravel: $result: object of Leaves: thrown (task: Work::leaves())
in Sync buffers throw: DomainException: thrown
bool(false)
string(4) "Done"
the application ends
