--TEST--
Waiting for tasks inside a server parks the handler; the loop goes on
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\{Server, Timer};
use Tusk\Http\{Client, Request, Response};
use Tusk\Parallel\{DeadlineExceeded, Pool};

$pool = new Pool(workers: 2);
$server = new Server(listen: '127.0.0.1:0');
$server->get('/slow', fn (Request $r) => Response::text((string) $pool->run(function () { usleep(50000); return 'slow'; })));
$server->get('/late', function (Request $r) use ($pool): Response {
    try {
        $pool->task(function () { usleep(50000); })->await(0.01);
        return Response::text('in time');
    } catch (DeadlineExceeded) {
        return Response::text('late');
    }
});
$server->get('/crash', fn (Request $r) => Response::text(get_class($pool->task(function () { exit(1); })->error())));
$seen = [];
$ended = 0;
foreach (['/slow', '/slow', '/late', '/crash'] as $path) {
    Timer::defer(function () use ($path, $server, &$seen, &$ended) {
        $seen[] = (new Client())->get("http://127.0.0.1:{$server->port}$path")->body;
        if (++$ended === 4) {
            $server->stop();
        }
    });
}
$ticks = 0;
$timer = Timer::repeat(0.005, function () use (&$ticks) { $ticks++; });
$server->onStart(fn () => null);
$server->run();
sort($seen);
echo implode(' ', $seen), "\n";
var_dump($ticks > 0, $pool->run(fn () => 'blocks outside'));
?>
--EXPECT--
Tusk\Parallel\TaskExited late slow slow
bool(true)
string(14) "blocks outside"
