--TEST--
Each task is counted once as it ended, by every engine; one that throws another one's WorkerCrashed is no crash and is not begun again
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (PHP_OS_FAMILY !== 'Linux') die('skip Linux only');
--FILE--
<?php
use Tusk\Parallel\Async;
use Tusk\Parallel\Engine;
use Tusk\Parallel\Pool;
use Tusk\Parallel\Sync;
use Tusk\Parallel\Template;
use Tusk\Parallel\WorkerCrashed;
use Tusk\Timer;

$count = function (string $name, Engine $engine): void {
    $stats = $engine->stats();
    $ways = array_intersect_key($stats, array_flip(['done', 'failed', 'cancelled', 'late', 'crashed']));
    echo $name, ': ', json_encode($ways), ' of ', $stats['submitted'], $stats['submitted'] === $stats['open'] + array_sum($ways) ? '' : ' which is another sum', "\n";
};
$error = fn ($task) => $task->error();
$pool = new Pool(workers: 2, max: 2);
$loops = function (): never {
    while (true) {
        usleep(100);
    }
};
$stuck = function (): never {
    while (true) {
        try {
            while (true) {
                usleep(100);
            }
        } catch (Tusk\Exception) {
        }
    }
};
$crash = fn () => posix_kill(getmypid(), SIGKILL);
$pool->run('strrev', 'abc');
array_map($error, $pool->submit([fn () => throw new Exception('x'), fn () => exit(1), fn () => STDIN]));
array_map($error, $pool->submit([$loops, $stuck], deadline: 0.05));
$pool->submit(['time'], deadline: 0.0);
array_map($error, $pool->submit([$crash, fn () => [ini_set('display_errors', '0'), eval('class Twice {} class Twice {}')]], retry: 1));
$task = $pool->task($loops);
while ($task->state()->name !== 'Running') {
    usleep(100);
}
$task->cancel();
$task->error();
$busy = [$pool->task($loops), $pool->task($loops)];
$pool->task('time')->cancel();
$marks = tempnam(sys_get_temp_dir(), 'tusk');
array_map(fn ($task) => $task->cancel(), $busy);
array_map($error, $busy);
$thrown = $pool->submit([function () use ($marks): void {
    file_put_contents($marks, 'x', FILE_APPEND);
    throw new WorkerCrashed("another one's");
}], retry: 3)[0];
echo $thrown->error()->getMessage(), ' ', filesize($marks), ' ', $thrown->stats()['attempts'], "\n";
unlink($marks);
$count('pool', $pool);
$pool->task($loops);
$pool->close();
$count('closed', $pool);

foreach (['sync' => new Sync(), 'async' => new Async()] as $name => $engine) {
    array_map($error, $engine->submit(['a' => ['strrev', 'abc'], fn () => throw new Exception('x'), fn () => exit(1)]));
    array_map($error, $engine->submit([fn () => Timer::sleep(0.02)], deadline: 0.001));
    $engine->submit(['time'], deadline: 0.0);
    $engine->submit(['time'])[0]->cancel();
    $count($name, $engine);
}
?>
--EXPECT--
another one's 1 1
pool: {"done":1,"failed":4,"cancelled":4,"late":3,"crashed":2} of 14
closed: {"done":1,"failed":4,"cancelled":5,"late":3,"crashed":2} of 15
sync: {"done":1,"failed":2,"cancelled":1,"late":2,"crashed":0} of 6
async: {"done":1,"failed":2,"cancelled":1,"late":2,"crashed":0} of 6
