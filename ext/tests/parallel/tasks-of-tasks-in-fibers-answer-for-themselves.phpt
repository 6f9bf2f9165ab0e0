--TEST--
Fibers of a task that wait for tasks of its own get each its own answer, whichever waits or ends first; a worker's statics and loops survive it
--EXTENSIONS--
tusk
posix
--FILE--
<?php
use Tusk\Condition;
use Tusk\Parallel\{Async, Pool};
use Tusk\Timer;

final class Inner
{
    private static ?Async $engine = null;

    public static function say(string $what, float $seconds): string
    {
        echo "$what begins,";
        Timer::sleep($seconds);
        echo "$what ends";
        return $what;
    }

    /** Waits in fibers of its own, for tasks of its own. */
    public static function deep(int $depth): string
    {
        if ($depth === 0) {
            Timer::sleep(0.002);
            return 'x';
        }
        $ask = fn (float $wait): Closure => function () use ($depth, $wait): string {
            Timer::sleep($wait);
            return Pool::current()->submit([[self::class, 'deep', $depth - 1]])[0]->await();
        };
        [$a, $b] = (new Async())->submit([$ask(0.002), $ask(0.001)]);
        return '(' . $a->await() . $b->await() . ')';
    }

    public static function inOneEngine(int $depth): string
    {
        self::$engine ??= new Async();
        $inner = $depth === 0 ? fn (): string => 'end' : fn (): string => Pool::current()->submit([[self::class, 'inOneEngine', $depth - 1]])[0]->await();
        try {
            return "$depth " . self::$engine->submit([$inner])[0]->await();
        } catch (LogicException $e) {
            return $e->getMessage();
        }
    }
}
$pool = new Pool(workers: 1, max: 1);
foreach ([[0.01, 0.05], [0.05, 0.01], [0.0, 0.0]] as [$first, $second]) {
    echo json_encode($pool->run(function () use ($first, $second): array {
        $ask = fn (string $what, float $seconds): Closure => function () use ($what, $seconds): array {
            $task = Pool::current()->submit([[Inner::class, 'say', $what, $seconds]])[0];
            return [$task->await(), $task->output()];
        };
        $tasks = (new Async())->submit([$ask('one', $first), $ask('two', $second), fn () => Timer::sleep(0.001)]);
        return [$tasks[0]->await(), $tasks[1]->await()];
    })), "\n";
}
foreach ([1, 2, 3] as $workers) {
    $of = new Pool(workers: $workers, max: $workers);
    echo $of->run([Inner::class, 'deep', 4]), "\n";
    $of->close();
}
foreach ([0, 1, 0] as $depth) {
    echo $pool->run([Inner::class, 'inOneEngine', $depth]), "\n";
}

// a timer of the outer task ticks again when the inner one has ended
echo json_encode($pool->run(function (): array {
    $seen = [];
    $done = new Condition();
    Timer::delay(0.001, function () use (&$seen, $done): void {
        $seen[] = 'outer timer';
        $done->notify();
    });
    [$inner, $waits] = (new Async())->submit([
        fn () => Pool::current()->submit([function (): int { Timer::delay(0.001, fn () => null); Timer::sleep(0.005); return 5; }])[0]->await(),
        function () use (&$seen, $done): bool {
            return $seen !== [] || $done->wait(); // a slow machine may have ticked already
        },
    ]);
    return [$inner->await(), $waits->await(), $seen];
})), "\n";
?>
--EXPECT--
[["one","one begins,one ends"],["two","two begins,two ends"]]
[["one","one begins,one ends"],["two","two begins,two ends"]]
[["one","one begins,one ends"],["two","two begins,two ends"]]
((((xx)(xx))((xx)(xx)))(((xx)(xx))((xx)(xx))))
((((xx)(xx))((xx)(xx)))(((xx)(xx))((xx)(xx))))
((((xx)(xx))((xx)(xx)))(((xx)(xx))((xx)(xx))))
0 end
1 This Async has tasks of the task around this one: take another one
0 end
[5,true,["outer timer"]]
