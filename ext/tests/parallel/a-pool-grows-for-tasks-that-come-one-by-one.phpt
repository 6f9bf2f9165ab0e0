--TEST--
Tasks that are submitted one after another, faster than sleeping workers wake up, have a worker each as those of one batch do, up to max:, also those of a task; and no more are forked than there are tasks at once
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Parallel\Pool;

/** Comes to its end when so many are in it at once, which is never where one of them waits for the place of another. */
$meet = static function (string $begun, int $count): bool {
    file_put_contents($begun, 'x', FILE_APPEND);
    for ($i = 0; $i < 60_000; $i++) {
        clearstatcache();
        if (filesize($begun) >= $count) {
            return true;
        }
        usleep(1000);
    }
    return false;
};
$one_by_one = static function (Pool $pool, int $count) use ($meet): string {
    $begun = tempnam(sys_get_temp_dir(), 'tusk');
    $tasks = [];
    for ($i = 0; $i < $count; $i++) {
        $tasks[] = $pool->task($meet, $begun, $count);
    }
    $met = array_sum(array_map(static fn ($task): int => (int) $task->await(), $tasks));
    unlink($begun);
    return "$met of $count have met";
};

foreach ([[1, 4], [2, 5], [3, 4]] as [$workers, $max]) {
    $pool = new Pool(workers: $workers, max: $max);
    $pool->run('strlen', ''); // they are there, and sleep soon
    usleep(20_000);
    echo $one_by_one($pool, $max), "\n";
    $pool->close();
}

$pool = new Pool(workers: 2, max: 5);
echo "of a task: ", $pool->run(static fn (): string => $one_by_one(Pool::current(), 4)), "\n";

$pool = new Pool(workers: 2, max: 16);
$tasks = [];
for ($i = 0; $i < 2000; $i++) {
    $tasks[] = $pool->task('strlen', 'abc');
    if (count($tasks) === 4) {
        array_shift($tasks)->await();
    }
}
foreach ($tasks as $task) {
    $task->await();
}
$forked = $pool->stats()['forked'];
echo $forked <= 4 ? "four at most\n" : "$forked for four at once\n";
?>
--EXPECT--
4 of 4 have met
5 of 5 have met
4 of 4 have met
of a task: 4 of 4 have met
four at most
