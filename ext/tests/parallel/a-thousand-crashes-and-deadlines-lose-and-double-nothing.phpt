--TEST--
A thousand crashes and a thousand deadlines among other tasks: nothing is lost, run twice or left behind; 100,000 tasks leave everything as it was
--EXTENSIONS--
tusk
posix
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0' || getenv('SKIP_SLOW_TESTS') || !is_file('/proc/self/task/' . getmypid() . '/children')) { die('skip takes minutes under a checker, and needs /proc/PID/task/TID/children'); } ?>
--FILE--
<?php
use Tusk\Parallel\{DeadlineExceeded, Pool, WorkerCrashed};

/** Every run of a task leaves its number in a file, as one short write that is never torn. */
function note(int $number, string $log): int
{
    file_put_contents($log, pack('N', $number), FILE_APPEND);
    return $number;
}
function crash(int $number, string $log): void
{
    note($number, $log);
    posix_kill(getmypid(), 9);
}
function late(int $number, string $log): void
{
    note($number, $log);
    for (;;);
}
$log = tempnam(sys_get_temp_dir(), 'tusk');
$pool = new Pool(workers: 2, max: 2, queue: 256);
$count = function (string $kind, ?float $deadline, int $all, int $every) use ($pool, $log): array {
    file_put_contents($log, '');
    $ends = ['right' => 0, 'wrong' => 0, 'as meant' => 0, 'otherwise' => 0];
    for ($i = 0; $i < $all; $i += 200) {
        $plain = $special = [];
        for ($k = $i; $k < $i + 200; $k++) {
            if ($k % $every === 0) {
                $special[$k] = [$kind, $k, $log];
            } else {
                $plain[$k] = ['note', $k, $log];
            }
        }
        $tasks = $pool->submit($plain);
        if ($deadline === null) {
            $tasks += $pool->submit($special);
        } else {
            foreach ($special as $k => $job) { // one by one: each has its whole time
                $ends[$pool->submit([$job], deadline: $deadline)[0]->error() instanceof DeadlineExceeded ? 'as meant' : 'otherwise']++;
            }
        }
        foreach ($tasks as $k => $task) {
            if ($k % $every === 0) {
                $ends[$task->error() instanceof WorkerCrashed ? 'as meant' : 'otherwise']++;
            } else {
                $ends[$task->await() === $k ? 'right' : 'wrong']++;
            }
        }
    }
    $runs = array_count_values(unpack('N*', file_get_contents($log)));
    return [...array_values($ends), count($runs), max($runs)];
};
echo implode(' ', $count('crash', null, 4000, 4)), "\n";
[$right, $wrong, $late, $otherwise, $begun, $most] = $count('late', 0.005, 2000, 2);
var_dump($right, $wrong, $late, $otherwise, $begun >= 1000, $most);
unlink($log);

/** Descriptors of this process; whether the template has the two workers, and at most the one that stands by for the next death. */
$look = function () use ($pool) {
    $template = $pool->run('posix_getppid');
    $end = hrtime(true) + 5_000_000_000; // the last one killed may not be replaced yet
    do {
        $children = count(explode(' ', trim(file_get_contents("/proc/$template/task/$template/children"))));
        $right = $children === 2 || $children === 3;
    } while (!$right && hrtime(true) < $end && usleep(1000) === null);
    return [count(scandir('/proc/self/fd')), $right ? 'right' : $children];
};
$memory = function () {
    gc_collect_cycles();
    return memory_get_usage();
};
for ($i = 0; $i < 2000; $i++) {
    $pool->run('strrev', 'abc');
}
$before = [...$look(), $memory()];
for ($i = 0; $i < 1000; $i++) {
    foreach ($pool->submit(array_fill(0, 100, ['str_repeat', 'ab', $i])) as $task) {
        if (strlen($task->await()) !== 2 * $i) {
            echo "wrong\n";
        }
    }
}
unset($task);
$after = [...$look(), $memory()];
var_dump($after[0] === $before[0], [$before[1], $after[1]] === ['right', 'right'], $after[2] - $before[2] < 100000, $pool->stats()['open'], $pool->stats()['corrupt']);
?>
--EXPECT--
3000 0 1000 0 4000 1
int(1000)
int(0)
int(1000)
int(0)
bool(true)
int(1)
bool(true)
bool(true)
bool(true)
int(0)
int(0)
