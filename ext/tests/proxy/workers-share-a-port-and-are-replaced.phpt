--TEST--
Workers share a port, each starts and draws for itself; one that is killed or fails is replaced, exit() costs its client only; what follows run() runs once
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Proxy\Http;

ini_set('display_errors', '0');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
mt_srand(1);
mt_rand();
register_shutdown_function(function (): void { echo "shutdown\n"; });
$doing = new Doing();
$proxy = new Http($doing, workers: 3);
$doing->of($proxy);
var_dump($proxy->worker());
beside($proxy, function (int $port, int $master): void {
    $first = whoAre($port, 3);
    echo 'workers ', implode(', ', array_keys($first)), "\n";
    $pids = array_column($first, 'pid');
    var_dump(count(array_unique([...$pids, $master])), count(array_unique(array_column($first, 'random'))));

    posix_kill($pids[1], SIGKILL);
    until(fn () => whoAre($port, 3)[1]['pid'] !== $pids[1], 'another worker 1');
    $second = array_column(whoAre($port, 3), 'pid');
    var_dump($second[0] === $pids[0], $second[2] === $pids[2]);

    var_dump(get($port, '/exit'), array_column(whoAre($port, 3), 'pid') === $second);
    if (getenv('SKIP_ASAN')) { // a fatal error jumps out of a fiber's stack, which ASan takes for something else
        posix_kill($second[0], SIGKILL);
        var_dump(null);
    } else {
        var_dump(get($port, '/fatal'));
    }
    until(fn () => array_column(whoAre($port, 3), 'pid') !== $second, 'another one for the failed');

    posix_kill($master, SIGHUP);
    until(fn () => array_intersect(array_column(whoAre($port, 3), 'pid'), $second) === [], 'a new generation');
    echo "stops\n";
});
var_dump($proxy->worker());
echo preg_match('~worker 1 \(process \d+\) ended by signal 9~', file_get_contents($log)), "\n";
unlink($log);
?>
--EXPECT--
NULL
workers 0, 1, 2
int(4)
int(3)
bool(true)
bool(true)
NULL
bool(true)
NULL
stops
run: 0
the application waits for its own child: found
NULL
1
shutdown
