--TEST--
A run of the loop is neither ended nor timed by the one before it: a server that was stopped as its Loopback had its answer ended the next run
--INI--
log_errors=1
display_errors=0
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\Http\Response;
use Tusk\Testing\Loopback;

ini_set('error_log', $log = __DIR__ . '/a-run-knows-nothing.log');
@unlink($log);

/** Amid a turn, with its last word still to be said. */
function leave_one_behind(): void
{
    $server = new Server();
    $server->get('/', function () use ($server): Response {
        $server->stop();
        return Response::text('last');
    });
    echo (new Loopback($server))->request('GET', '/')->body, ', ';
}

function serve(): void
{
    $server = new Server('127.0.0.1:0', limits: new Limits(slowHandlerMs: 900, drainMs: 100));
    $server->onStart(function () use ($server): void {
        Timer::delay(0.02, function () use ($server): void {
            echo "served\n";
            $server->stop();
        });
    });
    $server->run();
}

leave_one_behind();
serve();
leave_one_behind();
$begun = hrtime(true);
Timer::sleep(0.05);
echo hrtime(true) - $begun >= 50e6 ? "slept\n" : "woken\n";

leave_one_behind();
Timer::defer(fn () => null);
sleep(1); // which no handler did
serve();
echo file_exists($log) ? file_get_contents($log) : "nobody was slow\n";
?>
--CLEAN--
<?php @unlink(__DIR__ . '/a-run-knows-nothing.log'); ?>
--EXPECT--
last, served
last, slept
last, served
nobody was slow
