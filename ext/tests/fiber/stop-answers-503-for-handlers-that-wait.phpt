--TEST--
Handlers that still wait near the end of a drain: their clients get a 503 that is the last answer, before the rest is cut
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\Http\{Request, Response};

$server = new Server('127.0.0.1:0', limits: new Limits(drainMs: slow() > 1 ? 2500 : 1000));
$server->onError(function (Throwable $e, ?Request $r): ?Response {
    echo $r?->path ?? '-', ' ', get_class($e), ': ', $e->getMessage(), "\n";
    return $r?->path === '/own' ? Response::text("mine\n", 500) : null;
});
$wait = function (Request $r): Response {
    Timer::sleep(60);
    return Response::text('never');
};
$server->get('/wait', $wait);
$server->get('/own', $wait);
$server->get('/wrapped', function (Request $r): Response {
    try {
        Timer::sleep(60);
    } catch (Tusk\Exception $e) {
        throw new RuntimeException('no row', previous: $e); // as a database's library would
    }
});
$server->get('/instead', function (Request $r): Response {
    try {
        Timer::sleep(60);
    } catch (Tusk\Exception) {
        return Response::text("what there is\n");
    }
});
$server->events('/events', fn () => Timer::sleep(60), authorize: fn (Request $r) => Timer::sleep(60));
$server->websocket('/ws', authorize: fn (Request $r) => Timer::sleep(60));
$server->onStart(function () use ($server): void {
    $peers = [];
    foreach (['/wait', '/own', '/wrapped', '/instead', '/events'] as $path) {
        $peers[$path] = new Peer($server->port);
        $peers[$path]->write("GET $path HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    $peers['/ws'] = new Peer($server->port);
    $peers['/ws']->write("GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
    until(fn () => $server->stats()['parked_handlers'] === 6);
    $server->stop();
    $GLOBALS['peers'] = $peers;
});
$server->run();
foreach ($peers as $path => $peer) {
    stream_set_blocking($peer->stream, true);
    [$head, $body] = explode("\r\n\r\n", stream_get_contents($peer->stream)) + [1 => ''];
    printf("%s: %s%s, %s\n", $path, strtok($head, "\r"), str_contains($head, 'Connection: close') ? ' and close' : '', json_encode($body));
}
?>
--EXPECT--
/ws Tusk\Exception: The server stops: this handler waited too long
/events Tusk\Exception: The server stops: this handler waited too long
/wrapped RuntimeException: no row
/own Tusk\Exception: The server stops: this handler waited too long
/wait Tusk\Exception: The server stops: this handler waited too long
/wait: HTTP/1.1 503 Service Unavailable and close, "503 Service Unavailable\n"
/own: HTTP/1.1 500 Internal Server Error and close, "mine\n"
/wrapped: HTTP/1.1 503 Service Unavailable and close, "503 Service Unavailable\n"
/instead: HTTP/1.1 200 OK and close, "what there is\n"
/events: HTTP/1.1 503 Service Unavailable and close, "503 Service Unavailable\n"
/ws: HTTP/1.1 503 Service Unavailable and close, "503 Service Unavailable\n"
