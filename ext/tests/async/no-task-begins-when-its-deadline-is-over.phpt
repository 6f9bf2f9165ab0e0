--TEST--
No task begins when its deadline is over: those of one submit() have the same, though their timers, of whole milliseconds, may differ by one
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\{Async, DeadlineExceeded};
use Tusk\Timer;

$began = $late = 0;
$deadline = 0.05 * (float) (getenv('TUSK_SLOW') ?: 1);
for ($i = 0; $i < 6; $i++) {
    $engine = new Async(concurrency: 1);
    $jobs = array_fill(0, 3000, function () use (&$began) { $began++; });
    $jobs[0] = function () { Timer::sleep(100); };
    foreach ($engine->submit($jobs, $deadline) as $task) {
        $late += $task->error() instanceof DeadlineExceeded ? 1 : 0;
    }
}
echo "$began began, $late were late\n";
?>
--EXPECT--
0 began, 18000 were late
