--TEST--
onListen is told once, by the process that binds: with workers the master, which may be stopped from there; onStart by every worker
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Proxy\{Http, Smtp, Tcp};

ini_set('display_errors', '0');
ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$doing = new Doing();
$proxy = new Http($doing, workers: 2);
$doing->of($proxy);
$master = getmypid();
$told = [];
$proxy->onListen(function (Http $p) use (&$told, $master): void {
    $told[] = [getmypid() === $master, $p->port > 0, $p->worker()];
    throw new LogicException('said once');
});
$proxy->onError(function (Throwable $e) use (&$told): void { $told[] = $e->getMessage(); });
beside($proxy, function (int $port): void {
    $old = array_column(whoAre($port, 2), 'pid');
    posix_kill($old[0], SIGKILL);
    until(fn () => !in_array($old[0], array_column(whoAre($port, 2), 'pid'), true), 'another worker');
});
echo json_encode($told), "\n";

$stopped = new Tcp(new Asked(fn () => throw new LogicException('nobody comes')), 'localhost:0', workers: 2);
$stopped->onListen(fn () => $stopped->stop());
var_dump($stopped->run());

$alone = new Smtp(new Asked(fn () => throw new LogicException('nobody comes')), '127.0.0.1:0');
$order = [];
$alone->onListen(function (Smtp $p) use (&$order): void { $order[] = 'listen ' . ($p->port > 0 ? 'on a port' : ''); });
$alone->onStart(function (Smtp $p) use (&$order): void { $order[] = 'start'; $p->stop(); });
var_dump($alone->run());
echo implode(', ', $order), "\n";
$slow = getenv('TUSK_SLOW') ? '|is not drained in time: killed' : ''; // one that was just forked, and hears SIGTERM a second later
echo preg_replace("~.*(worker \d \(process \d+\) ended by signal 9|a handler held the loop for$slow).*\n~", '', file_get_contents($log));
unlink($log);
?>
--EXPECT--
run: 0
the application waits for its own child: found
[[true,true,null],"said once"]
int(0)
int(0)
listen on a port, start
