--TEST--
onStop() in workers: in the one that a reload replaces, and in all of them at SIGTERM; never in the master
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Server;

ini_set('error_log', tempnam(sys_get_temp_dir(), 'tusk'));
[$told, $tell] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$server = telling(2);
$server->onStop(fn (Server $s) => fwrite($tell, "worker {$s->worker()} stops\n"));
$lines = function (int $count) use ($told): string {
    $lines = array_map(fn () => trim(fgets($told)), range(1, $count));
    sort($lines);
    return implode(', ', $lines);
};
beside($server, function (int $port, int $master) use ($lines): void {
    $first = whoAre($port, 2);
    posix_kill($master, SIGHUP);
    echo $lines(2), "\n";
    until(fn () => array_intersect(array_column(whoAre($port, 2), 'pid'), array_column($first, 'pid')) === [], 'new workers');
});
echo $lines(2), "\n";
stream_set_blocking($told, false);
var_dump(fgets($told));
?>
--EXPECT--
worker 0 stops, worker 1 stops
run: 0
the application waits for its own child: found
worker 0 stops, worker 1 stops
bool(false)
