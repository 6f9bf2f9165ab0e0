--TEST--
Contract: onHandshake, Request, HandshakeResponse and HandshakeException
--FILE--
<?php
require __DIR__ . '/contract.inc';
use Tusk\WebSocket\{Connection, HandshakeException, HandshakeResponse, Request};

// ---- HandshakeResponse ----
$plain = new HandshakeResponse();
same('HandshakeResponse: defaults', [403, [], ''], [$plain->status, $plain->headers, $plain->body]);
foreach ([-1, 0, 99, 100, 101, 200, 299, 600, 1000] as $status) {
    refused("HandshakeResponse: status $status", ValueError::class, fn () => new HandshakeResponse($status), '#1 ($status)', (string) $status);
}
foreach ([300, 307, 400, 401, 403, 429, 500, 503, 599] as $status) {
    accepted("HandshakeResponse: status $status", fn () => new HandshakeResponse($status));
}
foreach (["a\r", "a\n", "a\0", "a\r\nX: y"] as $bad) {
    $shown = json_encode($bad);
    refused("HandshakeResponse: value $shown", ValueError::class, fn () => new HandshakeResponse(403, ['X-A' => $bad]), '#2 ($headers)');
    refused("HandshakeResponse: value $shown in a list", ValueError::class, fn () => new HandshakeResponse(403, ['X-A' => ['ok', $bad]]), '#2 ($headers)');
    refused("HandshakeResponse: name $shown", ValueError::class, fn () => new HandshakeResponse(403, [$bad => 'x']), '#2 ($headers)');
}
refused('HandshakeResponse: an empty name', ValueError::class, fn () => new HandshakeResponse(403, ['' => 'x']));
refused('HandshakeResponse: is readonly', Error::class, function () use ($plain) { $plain->status = 404; }, 'readonly');
accepted('HandshakeResponse: a list of values', fn () => new HandshakeResponse(403, ['Set-Cookie' => ['a=1', 'b=2']]));
same('HandshakeException: without a response', 403, (new HandshakeException())->response->status);
same('HandshakeException: with one', 429, (new HandshakeException(new HandshakeResponse(429)))->response->status);
refused('HandshakeException: no text', TypeError::class, fn () => new HandshakeException('no'));
refused('Request: is not made by hand', Error::class, fn () => new Request());
refused('onHandshake: a function\'s name', TypeError::class, fn () => contract_server()->onHandshake('strlen'), 'Closure');

// ---- at work ----
$server = contract_server();
$seen = null;
$errors = $opened = [];
$server->onError(function (Throwable $e) use (&$errors): void { $errors[] = $e->getMessage(); });
$server->onOpen(function (Connection $c) use (&$opened): void { $opened[] = $c->id; });
$server->onHandshake(function (Request $r) use (&$seen, &$opened): mixed {
    $seen = $r;
    switch ($r->target) {
        case '/default': throw new HandshakeException();
        case '/full': throw new HandshakeException(new HandshakeResponse(429, ['Retry-After' => '7', 'Set-Cookie' => ['a=1', 'b=2']], "slow down\n"));
        case '/moved': throw new HandshakeException(new HandshakeResponse(307, ['Location' => '/there']));
        case '/bug': throw new RuntimeException('a bug');
    }
    return false; // means nothing here
});
talk($server, function (int $port) use (&$seen, &$errors, &$opened): void {
    $peer = Peer::open($port, '/room?a=1&b=%20', ['X-Who' => 'me', 'X-LIST' => "a\r\nX-List: b"]);
    same('accepted whatever onHandshake returns', 101, $peer->status());
    holds('onHandshake gets a Request', $seen instanceof Request);
    same('Request::$method', 'GET', $seen->method);
    same('Request::$target', '/room?a=1&b=%20', $seen->target);
    same('Request::$headers are in lower case', ['me', 'localhost', 'websocket'], [$seen->headers['x-who'] ?? null, $seen->headers['host'] ?? null, $seen->headers['upgrade'] ?? null]);
    same('Request::$headers: no other case', [], array_filter(array_keys($seen->headers), fn ($name) => $name !== strtolower($name)));
    foreach (['x-who', 'X-Who', 'X-WHO'] as $name) {
        same("Request::header('$name')", 'me', $seen->header($name));
    }
    same('Request::header of one that is not there', null, $seen->header('x-none'));
    same('Request::header of one that came twice', 'a, b', $seen->header('x-list'));
    refused('Request is readonly', Error::class, function () use ($seen) { $seen->method = 'POST'; }, 'readonly');
    refused('Request::$headers too', Error::class, function () use ($seen) { $seen->headers['x'] = 'y'; }, 'readonly');
    refused('Request is not cloned', Error::class, fn () => clone $seen, 'clone');
    until(fn () => $opened !== []);

    $count = count($opened);
    $peer = Peer::open($port, '/default');
    same('refused: 403 without a response', 403, $peer->status());
    $peer = Peer::open($port, '/full');
    same('refused: the response\'s status', 429, $peer->status());
    same('refused: its headers', [1, 2], [preg_match('/^Retry-After: 7\r$/mi', $peer->head), preg_match_all('/^Set-Cookie: [ab]=\d\r$/mi', $peer->head)]);
    same('refused: its body', "slow down\n", $peer->readBody(10));
    same('refused: with a redirection', [307, 1], [($peer = Peer::open($port, '/moved'))->status(), preg_match('#^Location: /there\r$#mi', $peer->head)]);
    same('refused: no HandshakeException reaches onError', [], $errors);
    same('another exception: 500', 500, Peer::open($port, '/bug')->status());
    same('another exception: to onError', ['a bug'], $errors);
    same('refused: never opened', $count, count($opened));

    // What is no valid upgrade request never reaches onHandshake.
    $upgrade = "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    foreach (['the method' => ['GET /', 'POST /'], 'the version' => ['Version: 13', 'Version: 12'], 'the key' => ['bXBsZSBub25jZQ==', ''],
        'Host' => ["Host: h\r\n", ''], 'Upgrade' => ['Upgrade: websocket', 'Upgrade: h2c'], 'HTTP/1.0' => ['HTTP/1.1', 'HTTP/1.0']] as $what => [$from, $to]) {
        $seen = null;
        $peer = new Peer($port);
        $peer->write(str_replace($from, $to, $upgrade));
        $peer->head = $peer->readHead();
        holds("an upgrade wrong in $what: refused, {$peer->status()}", $peer->status() >= 400);
        same("an upgrade wrong in $what: onHandshake is not called", null, $seen);
        if ($what === 'the version') {
            same('a wrong version: 426 with the right one', [426, 1], [$peer->status(), preg_match('/^Sec-WebSocket-Version: 13\r$/mi', $peer->head)]);
        }
    }
    $peer = new Peer($port);
    $peer->write($upgrade);
    same('Sec-WebSocket-Accept', 1, preg_match('#^Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r$#mi', $peer->readHead()));
});
tally();
?>
--EXPECT--
76 points hold
