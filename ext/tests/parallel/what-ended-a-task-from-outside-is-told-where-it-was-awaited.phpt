--TEST--
A crash, exit(), a deadline that was not heeded, a result that cannot travel: the exception's place and trace are those of who first awaits the task, in a script and in a handler of a server; what the task threw keeps its own
--EXTENSIONS--
tusk
posix
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\{Request, Response};
use Tusk\Parallel\Pool;
use Tusk\Server;

function crash(): void { posix_kill(getmypid(), 9); }
function leave(): void { exit(3); }
function stay(): void { for (;;) { try { for (;;) { } } catch (Tusk\Exception) { } } }
function open() { return fopen('/dev/null', 'r'); }
function fail(): void { throw new DomainException('its own'); } const FAILS = __LINE__;

function wait_for(Pool $pool, string $job): string
{
    $task = $pool->submit([$job], deadline: $job === 'stay' ? 0.01 : null)[0];
    try {
        $task->await(); $line = __LINE__;
    } catch (Exception $e) {
        $where = $e->getLine() === FAILS ? 'where it was thrown' : ($e->getLine() - __LINE__ === -2 ? 'where it was awaited' : "line {$e->getLine()}");
        $calls = implode(' ', array_slice(array_map(fn (array $frame): string => $frame['function'], $e->getTrace()), 0, 2));
        try {
            $task->await();
        } catch (Exception $again) {
        }
        return $e::class . " $where, " . ($e->getFile() === __FILE__ ? '' : 'in another file, ') . $calls . ($again === $e && $task->error() === $e ? '' : ', another one') . "\n";
    }
}

$pool = new Pool(workers: 1, max: 2);
foreach (['crash', 'leave', 'stay', 'open', 'fail'] as $job) {
    echo wait_for($pool, $job);
}
$task = $pool->submit(['leave'])[0];
$error = $task->error(); echo $error->getLine() === __LINE__ ? 'asked' : 'elsewhere', ' ', $error->getTrace()[0]['function'], "\n";

$server = new Server('127.0.0.1:0');
$server->get('/{job}', fn (Request $r): Response => Response::text(wait_for($pool, $r->params['job'])));
talk($server, function (int $port): void {
    foreach (['crash', 'leave', 'open', 'fail'] as $job) {
        echo explode("\r\n\r\n", http($port, "GET /$job HTTP/1.0\r\n\r\n"))[1];
    }
});
?>
--EXPECT--
Tusk\Parallel\WorkerCrashed where it was awaited, await wait_for
Tusk\Parallel\TaskExited where it was awaited, await wait_for
Tusk\Parallel\DeadlineExceeded where it was awaited, await wait_for
Tusk\Parallel\CannotTravel where it was awaited, await wait_for
DomainException where it was thrown, fail __construct
asked error
Tusk\Parallel\WorkerCrashed where it was awaited, await wait_for
Tusk\Parallel\TaskExited where it was awaited, await wait_for
Tusk\Parallel\CannotTravel where it was awaited, await wait_for
DomainException where it was thrown, fail __construct
