--TEST--
Request::$secure behind a proxy: X-Forwarded-Proto of one that is trusted counts, that of anybody else does not; in handlers, where a file is missing, and in authorize of WebSockets and event streams
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Http\{Request, Response};
use Tusk\Testing\Loopback;

$ask = function (array $trusted, string $path, string $method = 'GET'): string {
    $server = new Server('127.0.0.1:0', trustedProxies: $trusted);
    $say = fn (Request $r): Response => Response::text($r->secure ? 'https' : 'http');
    $server->get('/page', $say);
    $server->post('/page', $say);
    $server->websocket('/ws', authorize: $say);
    $server->events('/events', fn () => null, authorize: $say);
    $server->files('/files', __DIR__);
    $server->fallback($say);
    $said = '';
    talk($server, function (int $port) use (&$said, $path, $method): void {
        $upgrade = $path === '/ws' ? "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" : "Connection: close\r\n";
        $peer = new Peer($port);
        $peer->write("$method $path HTTP/1.1\r\nHost: h\r\n{$upgrade}X-Forwarded-Proto: https\r\nContent-Length: " . ($method === 'POST' ? "3\r\n\r\nabc" : "0\r\n\r\n"));
        $said = substr((string) strstr($peer->readHead() . $peer->readAll(), "\r\n\r\n"), 4);
    });
    return $said;
};
foreach (['/page', '/ws', '/events', '/files/missing', '/none'] as $path) {
    echo "$path: ", $ask(['127.0.0.1'], $path), ' ', $ask(['10.0.0.0/8'], $path), ' ', $ask([], $path), "\n";
}
echo 'with a body: ', $ask(['127.0.0.1'], '/page', 'POST'), ' ', $ask([], '/page', 'POST'), "\n";
?>
--EXPECT--
/page: https http http
/ws: https http http
/events: https http http
/files/missing: https http http
/none: https http http
with a body: https http
