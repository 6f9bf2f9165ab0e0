--TEST--
tasksPerWorker: is exact, also where the last task is one that a worker was looking for when it came, and the next one is there at once
--FILE--
<?php
use Tusk\Parallel\Pool;

foreach ([1, 3] as $most) {
    $pool = new Pool(workers: 1, max: 1, tasksPerWorker: $most);
    $ran = [];
    for ($round = 0; $round < 40; $round++) {
        for ($alone = 1; $alone < $most; $alone++) { // the worker has nothing to do behind each of these
            $ran[] = $pool->run('getmypid');
        }
        foreach ($pool->submit(['getmypid', 'getmypid']) as $task) { // and here more than it may run
            $ran[] = $task->await();
        }
    }
    $counts = array_count_values($ran);
    echo "$most: at most ", max($counts), ', ', count($counts) === (int) ceil(count($ran) / $most) ? 'no process too many' : count($counts) . ' processes for ' . count($ran), "\n";
}
?>
--EXPECT--
1: at most 1, no process too many
3: at most 3, no process too many
