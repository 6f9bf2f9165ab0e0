--TEST--
Results that nobody has read yet stay what they are while their worker is replaced, and those after it, in its place and its memory, answer as well
--EXTENSIONS--
tusk
posix
--FILE--
<?php
use Tusk\Parallel\Pool;

$pool = new Pool(workers: 1, max: 1, tasksPerWorker: 1);
$tasks = [];
foreach (['a' => 100_000, 'b' => 300_000, 'c' => 5_000, 'd' => 1_000_000, 'e' => 100_000, 'f' => 10_000] as $letter => $length) {
    $tasks[$letter] = $pool->task(static fn (): string => getmypid() . str_repeat($letter, $length));
}
$note = tempnam(sys_get_temp_dir(), 'tusk');
$last = $pool->task('unlink', $note); // behind them in the queue: all have answered when it runs
while (file_exists($note)) { // no wait of the pool's own, which would read them
    usleep(1_000);
    clearstatcache();
}
$pids = [];
foreach ($tasks as $letter => $task) {
    preg_match('/^(\d+)(\D+)$/D', $task->await(), $m);
    $pids[] = $m[1];
    echo $letter, ' ', strlen($m[2]), ' ', count_chars($m[2], 3), "\n";
}
echo count(array_unique($pids)), " processes\n";
?>
--EXPECT--
a 100000 a
b 300000 b
c 5000 c
d 1000000 d
e 100000 e
f 10000 f
6 processes
