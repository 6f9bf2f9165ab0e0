--TEST--
Template and workers are gone when the process that made the pool is killed: also one that computes, and one that blocks every signal it can
--EXTENSIONS--
tusk
posix
pcntl
--SKIPIF--
<?php if (!is_file('/proc/self/task/' . getmypid() . '/children')) { die('skip needs /proc/PID/task/TID/children'); } ?>
--FILE--
<?php
use Tusk\Parallel\{Pool, Task, Template};

/** @return list<int> of the processes of a pool: its template and what this has forked */
function processes(Pool $pool): array
{
    $template = $pool->run('posix_getppid');
    return [$template, ...array_map('intval', explode(' ', trim(file_get_contents("/proc/$template/task/$template/children"))))];
}
/** A zombie has ended; whoever took it on has not looked yet. */
function lives(int $pid): bool
{
    $stat = (string) @file_get_contents("/proc/$pid/stat");
    return $stat !== '' && !str_starts_with(substr($stat, (int) strrpos($stat, ')')), ') Z');
}
foreach ([Template::Fork, Template::Fresh] as $template) {
    [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $maker = pcntl_fork();
    if ($maker === 0) {
        $pool = new Pool(workers: 3, max: 3, template: $template);
        $busy = $pool->submit([
            function () { for (;;); },
            function () { pcntl_sigprocmask(SIG_BLOCK, range(1, 30)); for (;;) { sleep(100); } },
        ]);
        while (array_filter($busy, fn (Task $task) => $task->state()->name !== 'Running') !== []) {
            usleep(1000);
        }
        fwrite($there, json_encode(processes($pool)) . "\n");
        for (;;) {
            sleep(100);
        }
    }
    $pids = json_decode((string) fgets($here));
    echo $template->name, ': ', count($pids), ' processes, ', count(array_filter($pids, 'lives')), ' live';
    posix_kill($maker, 9);
    pcntl_waitpid($maker, $status);
    for ($end = hrtime(true) + 20_000_000_000; array_filter($pids, 'lives') !== [] && hrtime(true) < $end;) {
        usleep(1000);
    }
    echo ', then ', count(array_filter($pids, 'lives')), "\n";
}
?>
--EXPECT--
Fork: 4 processes, 4 live, then 0
Fresh: 4 processes, 4 live, then 0
