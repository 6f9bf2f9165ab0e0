--TEST--
A request that onError is told of stays what it was while onError waits and others are served
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\{Request, Response};
use Tusk\{Server, Timer};

$server = new Server('127.0.0.1:0');
$server->get('/throw', fn () => throw new RuntimeException('x'));
$server->get('/other', fn () => Response::text('other'));
$server->onError(function (Throwable $e, ?Request $request) {
    Timer::sleep(0.1);
    return Response::json([$request->header('x-mine'), $request->headers, $request->remoteAddress], 500);
});
talk($server, function (int $port): void {
    $mine = new Peer($port);
    $mine->write("GET /throw HTTP/1.1\r\nHost: x\r\nX-Mine: mine\r\nConnection: close\r\n\r\n");
    Timer::sleep(0.02);
    for ($i = 0; $i < 5; $i++) {
        $other = new Peer($port);
        $other->write("GET /other HTTP/1.1\r\nHost: y\r\nAuthorization: Bearer its own secret\r\nConnection: close\r\n\r\n");
        while ($other->fill()) {
        }
    }
    while ($mine->fill()) {
    }
    echo explode("\r\n\r\n", $mine->in)[1], "\n";
});
?>
--EXPECT--
["mine",{"host":"x","x-mine":"mine","connection":"close"},"127.0.0.1"]
