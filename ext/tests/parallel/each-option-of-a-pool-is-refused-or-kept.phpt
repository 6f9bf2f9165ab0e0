--TEST--
Each option of a pool is kept, or refused with what it may be
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Async, OnFull, Pool, Sync};

final class Point { public int $x = 1; }

function refused(string $what, Closure $do): void
{
    try {
        $do();
        echo "$what was taken\n";
    } catch (ValueError | TypeError $e) {
        echo $what, ': ', preg_replace('/.*Argument /', '', $e->getMessage()), "\n";
    }
}
foreach ([
    'workers' => [0, -1, 57, PHP_INT_MAX, 'many', ''],
    'max' => [0, -1, 57, PHP_INT_MIN],
    'bootstrap' => ['nothing', function () { yield 1; }, fn (int $one) => $one],
    'tasksPerWorker' => [-1, 4294967296],
    'maxAge' => [-0.001, NAN, INF, 1.1e9],
    'queue' => [0, -1, 65537],
    'classes' => [[1], [''], [null]],
] as $name => $values) {
    foreach ($values as $value) {
        refused($name . ' ' . (is_object($value) ? 'closure' : (is_array($value) ? json_encode($value) : var_export($value, true))), fn () => new Pool(...[$name => $value]));
    }
}
refused('workers 3 of 2', fn () => new Pool(workers: 3, max: 2));
$pool = new Pool(workers: 1, max: 1);
foreach ([-1.0, NAN, INF, 1.1e9] as $seconds) {
    $told = is_nan($seconds) ? 'NAN' : $seconds;
    foreach (['submit' => [['getmypid'], $seconds], 'wait' => [$pool->submit(['getmypid']), $seconds]] as $method => $arguments) {
        refused("$method $told", fn () => $pool->$method(...$arguments));
    }
    refused("await $told", fn () => $pool->task('getmypid')->await($seconds));
}
refused('retry', fn () => $pool->submit(['getmypid'], retry: 1001));
refused('no tasks', fn () => $pool->wait([]));
refused('concurrency', fn () => new Async(0));
refused('classes of Sync', fn () => new Sync([0]));

echo "kept:\n";
/** How many tasks each process ran, in the order of their first one. */
$shares = fn (Pool $pool, int $tasks): string => implode(' ', array_count_values(array_map(fn () => $pool->run('getmypid'), range(1, $tasks))));
echo 'tasksPerWorker: ', $shares(new Pool(workers: 1, max: 1, tasksPerWorker: 3), 10), "\n";
echo 'never: ', $shares(new Pool(workers: 1, max: 1, tasksPerWorker: 0), 10), "\n";
$aging = new Pool(workers: 1, max: 1, maxAge: 0.1);
$first = $aging->run(function () { usleep(200000); return getmypid(); }); // is not ended by its age
for ($until = hrtime(true) + 5000000000; hrtime(true) < $until && $aging->run('getmypid') === $first; usleep(1000));
echo 'maxAge: ', $aging->run('getmypid') !== $first ? 'another one' : 'the same', ', ', $aging->stats()['retired'] > 0 ? 'retired' : 'not counted', "\n";
echo 'auto: ', (new Pool(workers: 'AUTO', max: 1))->run('strlen', 'abc'), "\n";
$two = new Pool(workers: 1, max: 2);
$tasks = $two->submit(array_fill(0, 20, fn () => usleep(10000)));
for ($until = hrtime(true) + 20000000000; hrtime(true) < $until && $two->stats()['forked'] < 2; usleep(1000));
array_map(fn ($task) => $task->await(), $tasks);
echo 'max: ', $two->stats()['forked'], "\n";
echo 'classes: ', (new Pool(workers: 1, classes: ['\\POINT']))->run(fn () => new Point)->x, "\n";
$full = new Pool(workers: 2, max: 2, queue: 4, onFull: OnFull::Refuse);
$tasks = $full->submit(array_fill(0, 4, fn () => usleep(1000)));
try {
    $full->submit(array_fill(0, 5, fn () => usleep(100000)));
} catch (Tusk\Parallel\QueueFull $e) {
    echo 'queue: ', $e->getMessage(), "\n";
}
?>
--EXPECT--
workers 0: #1 ($workers) must be between 1 and $max
workers -1: #1 ($workers) must be between 1 and $max
workers 57: #1 ($workers) must be between 1 and $max
workers 9223372036854775807: #1 ($workers) must be between 1 and $max
workers 'many': #1 ($workers) must be "auto" or a number
workers '': #1 ($workers) must be "auto" or a number
max 0: #2 ($max) must be between 1 and 56
max -1: #2 ($max) must be between 1 and 56
max 57: #2 ($max) must be between 1 and 56
max -9223372036854775807-1: #2 ($max) must be between 1 and 56
bootstrap 'nothing': #3 ($bootstrap) must be of type ?Closure, string given: name(...) makes one of a function, $object->method(...) of a method
bootstrap closure: #3 ($bootstrap) must not use yield: its code would never run
bootstrap closure: #3 ($bootstrap) must require at most 0 parameters (none is given), 1 required
tasksPerWorker -1: #4 ($tasksPerWorker) must be between 0 and 4294967295
tasksPerWorker 4294967296: #4 ($tasksPerWorker) must be between 0 and 4294967295
maxAge -0.001: #6 ($maxAge) must be between 0 and 1e9 seconds, -0.001 given
maxAge NAN: #6 ($maxAge) must be between 0 and 1e9 seconds, NAN given
maxAge INF: #6 ($maxAge) must be between 0 and 1e9 seconds, INF given
maxAge 1100000000.0: #6 ($maxAge) must be between 0 and 1e9 seconds, 1.1e+9 given
queue 0: #7 ($queue) must be between 1 and 65536
queue -1: #7 ($queue) must be between 1 and 65536
queue 65537: #7 ($queue) must be between 1 and 65536
classes [1]: #9 ($classes) must be a list of class names
classes [""]: #9 ($classes) must be a list of class names
classes [null]: #9 ($classes) must be a list of class names
workers 3 of 2: #1 ($workers) must be between 1 and $max
submit -1: #2 ($deadline) must be between 0 and 1e9 seconds, -1 given
wait -1: #2 ($timeout) must be between 0 and 1e9 seconds, -1 given
await -1: #1 ($timeout) must be between 0 and 1e9 seconds, -1 given
submit NAN: #2 ($deadline) must be between 0 and 1e9 seconds, NAN given
wait NAN: #2 ($timeout) must be between 0 and 1e9 seconds, NAN given
await NAN: #1 ($timeout) must be between 0 and 1e9 seconds, NAN given
submit INF: #2 ($deadline) must be between 0 and 1e9 seconds, INF given
wait INF: #2 ($timeout) must be between 0 and 1e9 seconds, INF given
await INF: #1 ($timeout) must be between 0 and 1e9 seconds, INF given
submit 1100000000: #2 ($deadline) must be between 0 and 1e9 seconds, 1.1e+9 given
wait 1100000000: #2 ($timeout) must be between 0 and 1e9 seconds, 1.1e+9 given
await 1100000000: #1 ($timeout) must be between 0 and 1e9 seconds, 1.1e+9 given
retry: #3 ($retry) must be between 0 and 1000
no tasks: #1 ($tasks) must have a task
concurrency: #1 ($concurrency) must be between 1 and 30000
classes of Sync: #1 ($classes) must be a list of class names
kept:
tasksPerWorker: 3 3 3 1
never: 10
maxAge: another one, retired
auto: 3
max: 2
classes: 1
queue: The queue of the pool is full (tasks)
