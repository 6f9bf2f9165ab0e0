--TEST--
A task that runs within a Fiber (of Sync, or one that a worker runs while it waits) has a scope of its own, which ends with it; what a destructor binds at that end ends, too
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (getenv('SKIP_ASAN')) die("skip ASan warns of _exit() on a fiber's stack"); ?>
--FILE--
<?php
use Tusk\Scope;
use Tusk\Parallel\{Async, Pool, Sync};

final class Bound
{
    private static ?WeakMap $map = null;
    /** What a task of Sync echoes is its output. */
    public static array $log = [];
    private function __construct(private string $name, private bool $again) {}
    public function __destruct()
    {
        self::$log[] = "end of $this->name";
        if ($this->again) {
            self::bind("$this->name again");
        }
    }
    /** Who was here before. */
    public static function bind(string $name, bool $again = false): string
    {
        self::$map ??= new WeakMap();
        $before = self::$map[Scope::current()] ?? null;
        self::$map[Scope::current()] = $before ?? new self($name, $again);
        return $before === null ? "$name is alone" : "$name met {$before->name}";
    }
    public static function inFiber(): bool { return Scope::current() instanceof Fiber; }
    public static function fiber(Closure $do): mixed
    {
        $fiber = new Fiber($do);
        $fiber->start();
        return $fiber->getReturn();
    }
}

$sync = new Sync();
$run = fn (Closure $job) => $sync->submit([$job])[0]->await();
Bound::fiber(function () use ($run) {
    Bound::$log[] = Bound::bind('fiber');
    Bound::$log[] = $run(function () use ($run) {
        $said = Bound::bind('task');
        Bound::$log[] = $run(fn () => Bound::bind('inner task'));
        Bound::fiber(function () { Bound::$log[] = Bound::bind('fiber of the task'); });
        return "$said, " . Bound::bind('task');
    });
    Bound::$log[] = Bound::bind('fiber');
});

Bound::$log[] = '-- two fibers whose tasks end in the order they began';
$fibers = [];
foreach (['a', 'b'] as $name) {
    $fibers[$name] = new Fiber(fn () => $run(function () use ($name) {
        Bound::$log[] = Bound::bind("task $name");
        Fiber::suspend();
        Bound::$log[] = Bound::bind("later $name");
    }));
    $fibers[$name]->start();
}
foreach ($fibers as $fiber) {
    $fiber->resume();
}
$pool = new Pool(workers: 1);
var_dump($pool->run(fn () => Bound::fiber(function () {
    $found = [Bound::inFiber()];
    foreach ((new Pool(workers: 1))->submit(array_fill(0, 4, [Bound::class, 'inFiber'])) as $task) {
        $found[] = $task->await();
    }
    return json_encode($found);
})));

Bound::$log[] = '-- at its end';
$run(fn () => Bound::bind('sync', true));
(new Async())->submit([fn () => Bound::bind('async', true)])[0]->await();
Bound::fiber(fn () => $run(fn () => Bound::bind('sync in a fiber', true)));
echo implode("\n", Bound::$log), "\n";
?>
--EXPECT--
string(30) "[true,false,false,false,false]"
fiber is alone
end of inner task
inner task is alone
fiber of the task is alone
end of fiber of the task
end of task
task is alone, task met task
fiber met fiber
end of fiber
-- two fibers whose tasks end in the order they began
task a is alone
task b is alone
later a met task a
end of task a
later b met task b
end of task b
-- at its end
end of sync
end of sync again
end of async
end of async again
end of sync in a fiber
end of sync in a fiber again
