--TEST--
What a terminal or a supervisor sends to all (SIGTERM, SIGINT, SIGHUP, SIGQUIT) ends no task, in a worker and in a fork of the caller; a program that a task begins does not inherit that, and ends by proc_terminate()
--EXTENSIONS--
tusk
posix
pcntl
--SKIPIF--
<?php
if (trim((string) shell_exec('command -v sleep')) === '') { die('skip no sleep'); }
?>
--FILE--
<?php
use Tusk\Parallel\Pool;

$all = [SIGTERM, SIGINT, SIGHUP, SIGQUIT];
$stays = static function () use ($all): string {
    foreach ($all as $signal) {
        posix_kill(getmypid(), $signal);
    }
    return 'goes on';
};
$ends = static function () use ($all): string {
    $told = [];
    foreach ($all as $signal) {
        $program = proc_open(['sh', '-c', 'echo begun; exec sleep 600'], [1 => ['pipe', 'w']], $pipes);
        fgets($pipes[1]);
        proc_terminate($program, $signal);
        for ($i = 0; $i < 5_000 && ($status = proc_get_status($program))['running']; $i++) {
            usleep(1000);
        }
        $told[] = $status['signaled'] && $status['termsig'] === $signal ? 'ended' : 'ran on';
        proc_terminate($program, SIGKILL);
        proc_close($program);
    }
    return implode(' ', $told);
};
$pool = new Pool(workers: 1, max: 1);
$lives = new class { public string $name = 'fork'; }; // cannot be serialized
echo $pool->run($stays), "\n", $pool->run($ends), "\n";
echo $pool->run(static fn (): string => "$lives->name: " . $stays() . ', ' . $ends()), "\n";
?>
--EXPECT--
goes on
ended ended ended ended
fork: goes on, ended ended ended ended
