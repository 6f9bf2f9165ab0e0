--TEST--
What a handler echoes ends its own line: those of two handlers never run together, also where one waits in the midst of it
--INI--
output_buffering=0
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\Response;

ini_set('error_log', '/dev/null');
$server = new Server('127.0.0.1:0');
$server->onListen(function (Server $s): void { echo 'listens'; });
$server->onError(function (Throwable $e): void { echo 'onError: ', $e->getMessage(); });
$server->get('/one', function () { echo 'one'; return Response::text(''); });
$server->get('/line', function () { print "a whole line\n"; return Response::text(''); });
$server->get('/parts', function () { echo 'in ', 'several '; printf('%s', 'parts'); return Response::text(''); });
$waits = null; // whether somebody does
$server->get('/waits', function () use (&$waits) {
    echo 'before the wait';
    for ($waits = true; $waits;) {
        Timer::sleep(0.001);
    }
    echo ', after it';
    return Response::text('');
});
$server->get('/does-it', function () use (&$waits) { return Response::text($waits === true ? 'it waits' : 'not yet'); });
$server->get('/enough', function () use (&$waits) { $waits = false; return Response::text(''); });
$server->get('/throw', function () { echo 'half a'; throw new Exception('thrown'); });
$server->get('/exit', fn () => exit('the text of exit()'));
$server->get('/buffer', function () { ob_start(); echo 'in a buffer'; return Response::text((string) ob_get_clean()); });
$server->get('/timer', function () { Timer::defer(function (): void { echo 'timer'; }); return Response::text(''); });
talk($server, function (int $port): void {
    $ask = function (string $path) use ($port): Peer {
        $peer = new Peer($port);
        $peer->write("GET $path HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        return $peer;
    };
    $rest = function (Peer $peer): void { while ($peer->fill()); };
    foreach (['/one', '/one', '/line', '/parts', '/one', '/throw', '/exit', '/buffer', '/timer'] as $path) {
        $rest($ask($path));
    }
    $waits = $ask('/waits');
    while (!str_contains(http($port, "GET /does-it HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), 'it waits')) {
        continue;
    }
    $rest($ask('/one'));
    $rest($ask('/enough'));
    $rest($waits);
});
echo "what is outside of handlers ", "is as it is\n";
?>
--EXPECT--
listens
one
one
a whole line
in several parts
one
half a
onError: thrown
the text of exit()
timer
before the wait
one
, after it
what is outside of handlers is as it is
