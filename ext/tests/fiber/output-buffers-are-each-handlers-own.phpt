--TEST--
Output buffers are each handler's own while it waits, and what it leaves open is dropped at its end
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\{Request, Response};
use Tusk\Parallel\{Async, Sync};

$log = tempnam(sys_get_temp_dir(), 'tusk');
ini_set('error_log', $log);
$said = fn (string $what): string => $what . ': ' . substr_count((string) file_get_contents($log), $what);
$server = new Server('127.0.0.1:0');
$server->onError(fn () => null);
/** A page that waits in the midst of what it prints: as long as its name, which several have at once. */
$page = function (Request $r): Response {
    $who = $r->params['who'];
    ob_start();
    echo "<$who>";
    ob_start(fn (string $text): string => strtoupper($text));
    echo $who;
    Timer::sleep((10 - strlen($who)) / 200);
    ob_end_flush();
    $level = ob_get_status()['level'];
    Timer::sleep(strlen($who) / 500);
    ob_get_status()['level'] === $level || print 'not the level it was';
    echo "</$who>";
    return Response::text((string) ob_get_clean());
};
$server->get('/page/{who}', $page);
$server->get('/throw', function () { ob_start(); echo str_repeat('x', 10000); throw new Exception('in a template'); });
$server->get('/exit', function () { ob_start(); echo 'x'; Timer::sleep(0.001); exit(1); });
$server->get('/forget', function () { ob_start(); ob_start(null, 0, 0); echo 'x'; return Response::text('forgot'); });
$server->get('/fails', function () { ob_start(function () { throw new Exception('of a buffer'); }); echo 'x'; return Response::text('went on'); });
$server->get('/slow', function () {
    ob_start(function (string $text): string { Timer::sleep(0.02); return $text; });
    echo 'slow';
    return Response::text((string) ob_get_clean());
});
$server->get('/fork', function () { // a task that is cancelled here is gone on with in the midst of these buffers
    ob_start();
    $async = new Async();
    [$task, $done] = $async->submit([function () { ob_start(); echo 'of the task'; Timer::sleep(5); }, fn () => Timer::sleep(0.001)]);
    $async->wait([$done]);
    echo 'ours ';
    $task->cancel();
    echo 'still';
    return Response::text((string) ob_get_clean());
});
$server->get('/sync', function () {
    ob_start();
    echo ', around';
    [$task] = (new Sync())->submit([function () { ob_start(null, 0, 0); echo 'inside'; Timer::sleep(0.001); return 1; }]);
    return Response::text($task->await() . $task->output() . ob_get_clean());
});
$server->get('/level', fn () => Response::text((string) ob_get_level()));
$ask = function (string $path) use ($server): Peer {
    $peer = new Peer($server->port);
    $peer->write("GET $path HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    return $peer;
};
$answer = fn (Peer $peer): string => explode("\r\n\r\n", $peer->readAll(), 2)[1] ?? '';
$lines = [];
$server->onStart(function (Server $s) use ($ask, $answer, $said, &$lines): void {
    foreach (array_map(fn ($who) => $ask("/page/$who"), ['anna', 'ben', 'christine', 'd', 'anna']) as $peer) {
        $lines[] = $answer($peer);
    }
    foreach (['/throw', '/exit', '/forget', '/fails', '/sync', '/fork'] as $path) {
        $lines[] = "$path: " . trim($answer($ask($path)));
        $lines[] = 'level ' . $answer($ask('/level'));
    }
    $slow = $ask('/slow');
    $page = $ask('/page/eve');
    $lines[] = $answer($slow);
    $lines[] = $answer($page);
    $lines[] = 'level ' . $answer($ask('/level'));
    $lines[] = $said('left an output buffer open');
    $lines[] = $said('cannot be switched');
    $s->stop();
});
ob_start();
echo 'around it all';
$code = $server->run();
echo ": $code ", ob_get_level(), "\n", implode("\n", $lines), "\n";
ob_end_flush();
unlink($log);
?>
--EXPECT--
around it all: 0 1
<anna>ANNA</anna>
<ben>BEN</ben>
<christine>CHRISTINE</christine>
<d>D</d>
<anna>ANNA</anna>
/throw: 500 Internal Server Error
level 1
/exit: 500 Internal Server Error
level 1
/forget: forgot
level 1
/fails: went on
level 1
/sync: 1inside, around
level 1
/fork: ours still
level 1
slow
<eve>EVE</eve>
level 1
left an output buffer open: 2
cannot be switched: 1
