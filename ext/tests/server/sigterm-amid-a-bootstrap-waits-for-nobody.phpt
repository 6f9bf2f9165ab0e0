--TEST--
A SIGTERM that comes while a worker loads the application waits neither for it nor for the time that draining has: who is not ready serves nobody
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Limits;
use Tusk\Server;

ini_set('display_errors', '0');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$blocks = tempnam(sys_get_temp_dir(), 'tusk-blocks');
$server = new Server(workers: 2, limits: new Limits(drainMs: 20_000), bootstrap: function (Server $server) use ($blocks): void {
    $server->get('/who', fn () => Tusk\Http\Response::json(['pid' => getmypid(), 'worker' => $server->worker()]));
    if (file_get_contents($blocks) !== '') {
        file_put_contents("$blocks.here", '');
        sleep(60); // a database that does not answer
    }
});
$began = 0;
beside($server, function (int $port, int $master) use ($blocks): void {
    whoAre($port, 2);
    file_put_contents($blocks, 'now');
    posix_kill($master, SIGHUP);
    until(fn () => file_exists("$blocks.here"), 'a successor loads');
    file_put_contents($blocks, (string) hrtime(true));
});
echo (hrtime(true) - (int) file_get_contents($blocks)) / 1e9 < 10 ? "at once\n" : "late\n";
// What a busy machine logs is no part of this; under valgrind a process takes longer to end than it is given.
$busy = slow() < 10 ? '~held the loop~' : '~held the loop|not drained in time: killed~';
echo implode('', preg_grep($busy, file($log), PREG_GREP_INVERT));
array_map(unlink(...), [$log, $blocks, "$blocks.here"]);
?>
--EXPECT--
run: 0
the application waits for its own child: found
at once
