--TEST--
workerBytes: a worker that holds more drains and another takes its place, counted; one that begins with more stays and says so
--EXTENSIONS--
pcntl
posix
--SKIPIF--
<?php
if ((int) getenv('TUSK_SLOW') >= 10) die('skip under valgrind a process holds more than its own');
if (!is_readable('/proc/self/statm')) echo 'skip the system does not tell what a process holds'; ?>
--INI--
memory_limit=-1
log_errors=1
display_errors=0
--FILE--
<?php
require __DIR__ . '/workers.inc';
use Tusk\Http\Response;
use Tusk\{Limits, Server};

ini_set('error_log', $log = __DIR__ . '/too-much.log');
@unlink($log);

function growing(int $bytes, int $workers): Server
{
    $kept = '';
    $server = new Server(limits: new Limits(workerBytes: $bytes, drainMs: 500, slowHandlerMs: 0), workers: $workers);
    $server->get('/who', fn () => Response::json(['pid' => getmypid(), 'worker' => $server->worker(), 'over' => $server->stats()['workers_over_bytes']]));
    $server->get('/grow', function () use (&$kept): Response {
        $kept = str_repeat('x', 200 << 20);
        return Response::json(getmypid());
    });
    return $server;
}

attempt(fn () => new Limits(workerBytes: -1));
beside(growing(160 << 20, 2), function (int $port): void {
    $before = whoAre($port, 2);
    $grown = get($port, '/grow');
    until(fn () => !in_array($grown, array_column(whoAre($port, 2), 'pid'), true), 'another in its place');
    until(fn () => whoAre($port, 2)[0]['over'] === 1, 'it is counted');
    $after = whoAre($port, 2);
    echo count(array_intersect(array_column($before, 'pid'), array_column($after, 'pid'))), " of 2 stayed\n";
});
beside(growing(1 << 20, 2), function (int $port): void {
    whoAre($port, 2);
});
echo preg_replace(['/^\[.*?\] /m', '/\d+ MiB/', '/worker \d/'], ['', 'N MiB', 'worker N'], file_get_contents($log));
unlink($log);
?>
--EXPECTF--
ValueError: Tusk\Limits::__construct(): Argument #31 ($workerBytes) must be between 0 and %d, -1 given
1 of 2 stayed
run: 0
the application waits for its own child: found
run: 0
the application waits for its own child: found
Tusk: worker N holds N MiB, more than workerBytes: it drains, and another takes its place
Tusk: workerBytes is not kept: worker N begins with N MiB
Tusk: workerBytes is not kept: worker N begins with N MiB
