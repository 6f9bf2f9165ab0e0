--TEST--
A server's workers: onListen once in the master, onStart and timers in each; one that dies is replaced, exit() costs its client only, SIGHUP brings new ones and loses no connection, stop() in one stops all
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\{Server, Timer};

ini_set('display_errors', '0');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
[$ticks, $tick] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
mt_srand(1);
mt_rand();
register_shutdown_function(function (): void { echo "shutdown\n"; });
$server = telling(3);
$master = getmypid();
$told = [];
$server->onListen(function (Server $s) use (&$told, $master): void { $told[] = [getmypid() === $master, $s->port > 0, $s->worker()]; });
$timers[] = Timer::delay(0.001, fn () => fwrite($tick, "tick {$server->worker()}\n"));
$timers[] = Timer::delay(0.001, fn () => $server->worker() === 0 && fwrite($tick, "once\n"));
var_dump($server->worker());
beside($server, function (int $port, int $master) use ($ticks): void {
    $first = whoAre($port, 3);
    $lines = array_map(fn () => trim(fgets($ticks)), range(1, 4));
    sort($lines);
    echo implode(', ', $lines), "\n";
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

    $old = subscribers($port, 3, false);
    posix_kill($master, SIGHUP);
    $lost = 0;
    until(function () use ($port, $old, &$lost): bool {
        $who = get($port, '/who');
        $lost += $who === null ? 1 : 0;
        return $who !== null && !in_array($who['pid'], array_column($old, 'pid'), true)
            && array_intersect(array_column(whoAre($port, 3), 'pid'), array_column($old, 'pid')) === [];
    }, 'a new generation');
    echo "lost $lost; ", implode(', ', array_unique(array_map(fn (Subscriber $s) => $s->next(), $old))), "\n";
    var_dump(get($port, '/stop'));
}, stops: false);
echo 'listens: ', json_encode($told), "\n";
var_dump($server->worker());
foreach ($timers as $timer) { // array_map(Timer::cancel(...), …) passes over `use` in PHP 8.6.0RC3
    Timer::cancel($timer); // it never came in the master
}
echo preg_match('~worker 1 \(process \d+\) ended by signal 9 \(as the kernel does where memory lacks\); another takes its place( in \d+\.\d s)?$~m', file_get_contents($log)), "\n";
unlink($log);
?>
--EXPECT--
NULL
once, tick 0, tick 1, tick 2
int(4)
int(3)
bool(true)
bool(true)
NULL
bool(true)
NULL
lost 0; (close 1001 server stops)
NULL
run: 0
the application waits for its own child: found
listens: [[true,true,null]]
NULL
1
shutdown
