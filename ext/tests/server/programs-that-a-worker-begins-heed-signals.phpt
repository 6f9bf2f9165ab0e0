--TEST--
What a terminal sends to all (SIGINT, SIGHUP, SIGQUIT) ends no worker of a server; a program that a handler begins does not inherit that, and ends by it
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
require __DIR__ . '/../peer.inc';
use Tusk\Server;

$server = new Server('127.0.0.1:0', workers: 2);
$told = tempnam(sys_get_temp_dir(), 'tusk');
$server->onStart(function () use ($server, $told): void {
    if ($server->worker() !== 0) {
        return;
    }
    foreach ([SIGINT, SIGHUP, SIGQUIT] as $signal) {
        posix_kill(getmypid(), $signal);
        $program = proc_open(['sh', '-c', 'echo begun; exec sleep 600'], [1 => ['pipe', 'w']], $pipes);
        fgets($pipes[1]);
        proc_terminate($program, $signal);
        for ($i = 0; $i < 5_000 && ($status = proc_get_status($program))['running']; $i++) {
            usleep(1000);
        }
        file_put_contents($told, "$signal: " . ($status['signaled'] && $status['termsig'] === $signal ? 'ended' : 'ran on') . "\n", FILE_APPEND);
        proc_terminate($program, SIGKILL);
        proc_close($program);
    }
    $server->stop();
});
$server->run();
echo file_get_contents($told);
unlink($told);
?>
--EXPECT--
2: ended
1: ended
3: ended
