--TEST--
A pool whose template died, or that was reloaded, where no process could be started fails its tasks with the reason, and runs those that come when one can
--EXTENSIONS--
tusk
posix
--SKIPIF--
<?php if (PHP_OS_FAMILY !== 'Linux') die('skip Linux only'); ?>
--FILE--
<?php
use Tusk\Parallel\Pool;

function template(): int
{
    foreach (explode(' ', trim(file_get_contents('/proc/' . getmypid() . '/task/' . getmypid() . '/children'))) as $pid) {
        if (trim((string) @file_get_contents("/proc/$pid/comm")) === 'tusk-template') {
            return (int) $pid;
        }
    }
    throw new Exception('no template');
}
/** Without a descriptor there is no new template. */
function scarce(Closure $do): void
{
    $hard = posix_getrlimit()['hard openfiles'];
    $soft = posix_getrlimit()['soft openfiles'];
    posix_setrlimit(POSIX_RLIMIT_NOFILE, 3, $hard === 'unlimited' ? POSIX_RLIMIT_INFINITY : $hard);
    try {
        $do();
    } finally {
        posix_setrlimit(POSIX_RLIMIT_NOFILE, $soft, $hard === 'unlimited' ? POSIX_RLIMIT_INFINITY : $hard);
    }
}
function until(Closure $good): string
{
    $end = hrtime(true) + 10e9;
    $said = [];
    do {
        try {
            $value = $good();
            return implode(', then ', array_keys($said)) . ' then ' . $value;
        } catch (Tusk\Exception $e) {
            $said[get_class($e)] = true;
            usleep(5000);
        }
    } while (hrtime(true) < $end);
    return 'never: ' . $e->getMessage();
}
$pool = new Pool(workers: 1, max: 1);
$run = fn (): string => $pool->run('strrev', 'abc');
echo $run(), "\n";

$template = template();
scarce(function () use ($pool, $template): void {
    posix_kill($template, SIGKILL);
    $end = hrtime(true) + 10e9;
    do {
        try {
            $pool->run('strrev', 'abc');
            $said = 'ran';
        } catch (Tusk\Exception $e) {
            $said = $e->getMessage();
        }
    } while (!str_contains($said, 'cannot be forked again') && !str_contains($said, 'Cannot start') && hrtime(true) < $end);
    echo $said, "\n";
});
echo 'died:', strstr(until($run), ' then '), "\n";

scarce(function () use ($pool): void {
    try {
        $pool->reload();
    } catch (Tusk\Exception $e) {
        echo $e->getMessage(), "\n";
    }
});
echo 'reloaded:', strstr(until($run), ' then '), "\n";
scarce(function () use ($pool): void {
    try {
        $pool->reload();
    } catch (Tusk\Exception) {
    }
});
$pool->reload();
echo 'reloaded again: ', $run(), "\n";
$pool->close();
try {
    $run();
} catch (Tusk\Exception $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
cba
The pool is broken: the template cannot be forked again (task: strrev())
died: then cba
Cannot start worker processes: Too many open files (new Tusk\Parallel\Sync() runs the same tasks in this process)
reloaded: then cba
reloaded again: cba
The pool is closed
