--TEST--
SIGTERM to master and workers at once drains them all: no successor is forked for a worker that heard it before the master
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Proxy\Tcp;

ini_set('display_errors', '0');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$started = tempnam(sys_get_temp_dir(), 'tusk');
for ($round = 0; $round < 3; $round++) {
    file_put_contents($started, '');
    $master = pcntl_fork();
    if ($master === 0) {
        posix_setsid();
        $proxy = new Tcp(new Asked(fn () => throw new LogicException('nobody comes')), '127.0.0.1:0', workers: 4);
        $proxy->onStart(fn () => file_put_contents($started, getmypid() . "\n", FILE_APPEND));
        exit($proxy->run());
    }
    until(fn () => count(file($started)) === 4, 'four workers');
    posix_kill(-$master, SIGTERM);
    pcntl_waitpid($master, $status);
    var_dump(pcntl_wifexited($status) && pcntl_wexitstatus($status) === 0, count(file($started)));
}
echo preg_replace('~.* a handler held the loop for .*\n~', '', file_get_contents($log)); // under a checker every handler does
array_map(unlink(...), [$log, $started]);
?>
--EXPECT--
bool(true)
int(4)
bool(true)
int(4)
bool(true)
int(4)
