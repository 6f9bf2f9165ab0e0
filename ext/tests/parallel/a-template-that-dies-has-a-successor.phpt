--TEST--
A template process that is killed has a successor by itself: what ran is lost unless it may be retried, what waited runs
--EXTENSIONS--
tusk
posix
--FILE--
<?php
use Tusk\Parallel\{Pool, WorkerCrashed};

$file = tempnam(sys_get_temp_dir(), 'tusk');
function slow_once(string $file): int
{
    file_put_contents($file, getmypid() . "\n", FILE_APPEND);
    if (count(file($file)) === 1) {
        sleep(60);
    }
    return count(file($file));
}
$bootstraps = tempnam(sys_get_temp_dir(), 'tusk');
$pool = new Pool(workers: 1, max: 1, bootstrap: fn () => file_put_contents($bootstraps, 'x', FILE_APPEND));
foreach ([0, 1] as $retry) {
    file_put_contents($file, '');
    $template = $pool->run('posix_getppid');
    $ran = $pool->submit([['slow_once', $file]], retry: $retry)[0];
    $waits = $pool->submit([['strrev', 'abc'], ['strrev', 'def']]);
    $end = hrtime(true) + 20_000_000_000;
    do {
        usleep(1000);
        clearstatcache();
    } while (filesize($file) === 0 && hrtime(true) < $end);
    posix_kill($template, 9);
    echo $waits[0]->await(), ' ', $waits[1]->await(), "\n";
    $error = $ran->error();
    echo $error === null ? 'ran ' . $ran->await() . ' times' : $error::class . ': ' . preg_replace('~process \d+~', 'process N', $error->getMessage()), "\n";
    var_dump($pool->run('posix_getppid') !== $template);
}
$stats = $pool->stats();
var_dump($stats['templates'], strlen(file_get_contents($bootstraps)), $stats['open'], $stats['corrupt'], $stats['crashed'], $stats['retried']);
unlink($file);
unlink($bootstraps);
?>
--EXPECT--
cba fed
Tusk\Parallel\WorkerCrashed: Worker 0 of the pool (process N) was ended by signal 9 (Killed) while it ran the task (task: slow_once())
bool(true)
cba fed
ran 2 times
bool(true)
int(3)
int(3)
int(0)
int(0)
int(1)
int(1)
