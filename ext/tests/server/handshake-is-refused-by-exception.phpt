--TEST--
onHandshake sees the request and refuses by HandshakeException, with 403 or what the response says; other exceptions are 500
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{HandshakeException, HandshakeResponse, Request, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onError(fn (Throwable $e) => print('error: ' . $e->getMessage() . "\n"));
$server->onHandshake(function (Request $r): void {
    switch ($r->target) {
        case '/plain': throw new HandshakeException();
        case '/full': throw new HandshakeException(new HandshakeResponse(429, ['Retry-After' => '7', 'Set-Cookie' => ['a=1', 'b=2']], "slow down\n"));
        case '/bug': throw new RuntimeException('a bug');
        case '/sleep': Tusk\Timer::sleep(0.01); echo 'after sleep: ', $r->header('X-Who'), "\n"; break;
    }
    echo $r->method, ' ', $r->target, ' ', $r->header('X-WHO'), ' ', $r->headers['x-who'], ' ', var_export($r->header('nope'), true), "\n";
});
talk($server, function (int $port): void {
    foreach (['/plain', '/full', '/bug', '/ok?a=1', '/sleep'] as $path) {
        $peer = Peer::open($port, $path, ['X-Who' => 'me']);
        echo $path, ' ', $peer->status(), "\n";
        if ($path === '/full') {
            echo preg_match('/Retry-After: 7\r\n/', $peer->head), preg_match_all('/Set-Cookie: [ab]=\d\r\n/', $peer->head), ' ', $peer->readBody(10);
        }
    }
});
?>
--EXPECT--
/plain 403
/full 429
12 slow down
error: a bug
/bug 500
GET /ok?a=1 me me NULL
/ok?a=1 101
after sleep: me
GET /sleep me me NULL
/sleep 101
