--TEST--
An application that waits for any child takes its own ones in, and the pool goes on where it took in one of the pool's
--EXTENSIONS--
tusk
pcntl
posix
--FILE--
<?php
use Tusk\Parallel\{Pool, WorkerCrashed};

pcntl_async_signals(true);
$taken = [];
pcntl_signal(SIGCHLD, function () use (&$taken): void {
    while (($pid = pcntl_waitpid(-1, $status, WNOHANG)) > 0) {
        $taken[$pid] = pcntl_wifexited($status) ? pcntl_wexitstatus($status) : -pcntl_wtermsig($status);
    }
});
$pool = new Pool(workers: 2, max: 2);
$live = new class { public int $v = 5; };

$first = $pool->run('posix_getppid');
$own = [];
for ($i = 0; $i < 10; $i++) {
    $pid = pcntl_fork();
    if ($pid === 0) {
        exit(20 + $i);
    }
    $own[$pid] = 20 + $i;
    $came[] = $pool->run(fn () => $live->v + $i); // a fork of this process, taken in by whoever is first
}
echo implode(' ', $came), "\n";
try {
    $pool->run(function () use ($live) { posix_kill(getmypid(), SIGKILL); });
} catch (WorkerCrashed $e) {
    echo "crashed\n";
}
posix_kill($first, SIGKILL);
for ($until = hrtime(true) + 20000000000; count(array_intersect_key($own, $taken)) < 10 && hrtime(true) < $until; usleep(1000));
var_dump(array_intersect_key($taken, $own) == $own);
do { // a worker may answer once more before the kernel ends it with its template
    $parent = $pool->submit(['posix_getppid'], retry: 3)[0]->await();
} while ($parent === $first && hrtime(true) < $until);
var_dump($parent !== $first, $pool->stats()['templates']);
$pool->close();
pcntl_signal(SIGCHLD, SIG_DFL);
var_dump(pcntl_waitpid(-1, $status)); // nobody is left
?>
--EXPECT--
5 6 7 8 9 10 11 12 13 14
crashed
bool(true)
bool(true)
int(2)
int(-1)
