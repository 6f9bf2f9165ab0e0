--TEST--
A second stop() cuts: handlers that wait are told at once as well, and the process does not stay for them
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\Http\{Request, Response};

$server = new Server('127.0.0.1:0', limits: new Limits(drainMs: 60_000));
$server->onError(fn (Throwable $e) => print($e->getMessage() . "\n"));
$server->get('/', function (Request $r): Response {
    try {
        Timer::sleep(90);
    } finally {
        echo "finally\n";
    }
});
$server->onStart(function () use ($server): void {
    global $peer;
    $peer = new Peer($server->port);
    $peer->write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    until(fn () => $server->stats()['parked_handlers'] === 1);
    $server->stop();
    $server->stop();
});
$started = hrtime(true);
$server->run();
echo (hrtime(true) - $started) / 1e9 < 20 * slow() ? 'at once' : 'late', "\n";
?>
--EXPECT--
finally
The server stops: this handler waited too long
at once
