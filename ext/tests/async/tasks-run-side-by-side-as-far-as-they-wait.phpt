--TEST--
Tasks of Async run side by side as far as they wait; each has its own end
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Async, Task};
use Tusk\Timer;

final class Sums
{
    private int $base = 40;
    public function plus(int $n): int { return $this->base + $n; }
    public static function of(int ...$n): int { return array_sum($n); }
}

$engine = new Async(concurrency: 3);
$log = [];
$shared = new ArrayObject();
$tasks = $engine->submit([
    'slow' => function () use (&$log) { $log[] = 'slow begins'; Timer::sleep(0.05); $log[] = 'slow ends'; return 'slow'; },
    'quick' => function () use (&$log) { $log[] = 'quick begins'; Timer::sleep(0.001); $log[] = 'quick ends'; return 'quick'; },
    7 => ['strtoupper', 'ccc'],
    'throws' => fn () => throw new DomainException('my own', 5),
    'exits' => function () { exit(3); },
    'method' => [Sums::class, 'plus', 2],
    'static' => [Sums::class, 'of', 1, 2, 3],
    'object' => [new Sums(), 'plus', 4],
    'named' => 'Sums::of',
    'missing' => 'no_such_function',
    'same object' => [fn (ArrayObject $o) => $o, $shared],
]);
var_dump($log === []); // nothing began before somebody waits
foreach ($tasks as $key => $task) {
    $error = $task->error();
    echo $key, ': ', $error === null ? json_encode($task->await()) : get_class($error) . ' "' . $error->getMessage() . '" ' . $error->getCode(), ' ', $task->state()->name, "\n";
}
echo implode(', ', $log), "\n";
var_dump($tasks['same object']->await() === $shared);
echo json_encode(array_intersect_key($engine->stats(), ['submitted' => 0, 'done' => 0, 'failed' => 0, 'open' => 0])), "\n";

foreach ([[], 5, ['a' => 1], [new Sums()]] as $job) {
    try {
        $engine->submit(['fine' => 'time', $job]);
        echo "taken\n";
    } catch (Tusk\Parallel\CannotTravel $e) {
        echo $e->getMessage(), "\n";
    }
}
foreach ([0, 30001] as $wrong) {
    try {
        new Async($wrong);
    } catch (ValueError $e) {
        echo $e->getMessage(), "\n";
    }
}
$many = new Async(2000);
$sum = 0;
foreach ($many->submit(array_fill(0, 2000, function () { Timer::sleep(0.01); return 1; })) as $task) {
    $sum += $task->await();
}
echo $sum, "\n";
?>
--EXPECTF--
bool(true)
slow: "slow" Done
quick: "quick" Done
7: "CCC" Done
throws: DomainException "my own" 5 Failed
exits: Tusk\Parallel\TaskExited "The task called exit(3) (task: $jobs['exits'], closure of %stasks-run-side-by-side-as-far-as-they-wait.php:20)" 3 Failed
method: 42 Done
static: 6 Done
object: 44 Done
named: 0 Done
missing: Error "no_such_function() does not exist: load the file that declares it" 0 Failed
same object: {} Done
slow begins, quick begins, quick ends, slow ends
bool(true)
{"open":0,"submitted":11,"done":8,"failed":3}
$jobs[0], $job: is an array, but not a list that begins with what to call: give a closure, 'strlen', or [Users::class, 'find', 7]
$jobs[0], $job: is neither a closure, nor a callable string, nor an array: give a closure, 'strlen', or [Users::class, 'find', 7]
$jobs[0], $job: is an array, but not a list that begins with what to call: give a closure, 'strlen', or [Users::class, 'find', 7]
$jobs[0], $job: is neither a closure, nor a callable string, nor an array: give a closure, 'strlen', or [Users::class, 'find', 7]
Tusk\Parallel\Async::__construct(): Argument #1 ($concurrency) must be between 1 and 30000
Tusk\Parallel\Async::__construct(): Argument #1 ($concurrency) must be between 1 and 30000
2000
