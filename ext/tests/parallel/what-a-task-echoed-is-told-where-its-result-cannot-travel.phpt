--TEST--
A task whose result cannot travel has its output all the same, by a pool as by Sync, also where the output is long
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{CannotTravel, Pool, Sync};

$jobs = [
    'a resource' => function () { echo 'heard'; return ['file' => fopen('php://memory', 'r')]; },
    'a class that the pool does not name' => function () { echo 'heard'; return new ArrayObject(); },
    'a long one' => function () { echo str_repeat('heard', 100_000); return fn () => 1; },
];
foreach ([new Pool(workers: 1), new Sync()] as $engine) {
    foreach ($engine->submit($jobs) as $what => $task) {
        echo $engine::class, ', ', $what, ': ', get_class($task->error()), ' ', strlen($task->output()) < 100 ? $task->output() : strlen($task->output()), "\n";
    }
}
?>
--EXPECT--
Tusk\Parallel\Pool, a resource: Tusk\Parallel\CannotTravel heard
Tusk\Parallel\Pool, a class that the pool does not name: Tusk\Parallel\CannotTravel heard
Tusk\Parallel\Pool, a long one: Tusk\Parallel\CannotTravel 500000
Tusk\Parallel\Sync, a resource: Tusk\Parallel\CannotTravel heard
Tusk\Parallel\Sync, a class that the pool does not name: Tusk\Parallel\CannotTravel heard
Tusk\Parallel\Sync, a long one: Tusk\Parallel\CannotTravel 500000
