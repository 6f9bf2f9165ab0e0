--TEST--
Contract: listen(), subprotocols(), run(), stop() and getDriver()
--FILE--
<?php
require __DIR__ . '/contract.inc';
use Tusk\WebSocket\{Connection, MessageType, Server};

// ---- listen ----
foreach (["127.0.0.1\0", "\0", "a\0b"] as $host) {
    refused('listen: a host with NUL', ValueError::class, fn () => (new Server())->listen($host, 0), '#1 ($host)', 'null bytes');
}
foreach ([-1, 65536, PHP_INT_MIN, PHP_INT_MAX] as $port) {
    refused("listen: port $port", ValueError::class, fn () => (new Server())->listen('127.0.0.1', $port), '#2 ($port)', '0 and 65535', (string) $port);
}
foreach ([0, 1, 80, 65535] as $port) {
    accepted("listen: port $port is not bound before run()", fn () => (new Server())->listen('127.0.0.1', $port));
}
refused('listen: text for a port', TypeError::class, fn () => (new Server())->listen('127.0.0.1', 'http'));
$busy = stream_socket_server('tcp://127.0.0.1:0');
$taken = (int) substr(strrchr(stream_socket_get_name($busy, false), ':'), 1);
$server = new Server();
accepted('listen: a port in use is told by run() only', fn () => $server->listen('127.0.0.1', $taken));
refused('run: a port in use', Tusk\Exception::class, fn () => $server->run(), "127.0.0.1:$taken", 'in use');
$server = new Server();
$server->listen('127.0.0.1', 0);
same('port before run()', 0, $server->port);
refused('port cannot be written', Error::class, function () use ($server) { $server->port = 1; }, 'readonly');

// ---- subprotocols ----
foreach (['', 'a b', 'a,b', "a\n", "a\0", 'ü', 'a/b', '"a"', '(a)'] as $name) {
    refused('subprotocols: ' . json_encode($name, JSON_INVALID_UTF8_SUBSTITUTE), ValueError::class, fn () => (new Server())->subprotocols('ok', $name), '#2', 'token');
}
refused('subprotocols: a duplicate', ValueError::class, fn () => (new Server())->subprotocols('a', 'b', 'a'), '#3', 'repeat', '"a"');
refused('subprotocols: no string', TypeError::class, fn () => (new Server())->subprotocols('a', 5), '#2', 'string');
accepted('subprotocols: tokens that differ in case', fn () => (new Server())->subprotocols('a', 'A', 'chat.v1', "!#$%&'*+-.^_`|~09"));
accepted('subprotocols: none', fn () => (new Server())->subprotocols());

// ---- run, stop, getDriver ----
refused('run: without listen()', Error::class, fn () => (new Server())->run(), 'listen');
accepted('stop: before run()', fn () => (new Server())->stop());
holds('getDriver', in_array((new Server())->getDriver(), ['epoll', 'poll', 'select', 'kqueue'], true));
$started = null;
$order = [];
$server->subprotocols('v2', 'v1');
$server->onStart(function () use ($server, &$started): void { // runs once the ports are bound
    $started = $server->port;
    holds('onStart: the chosen port is known', $server->port > 0);
    refused('run: while it runs', Error::class, fn () => $server->run(), 'runs already');
    refused('subprotocols: while it runs', Error::class, fn () => $server->subprotocols('x'), 'once the server runs');
    refused('listen: while it runs', Error::class, fn () => $server->listen('127.0.0.1', 0), 'once the server runs');
    refused('onHandshake: while it runs', Error::class, fn () => $server->onHandshake(fn () => null), 'once the server runs');
    refused('another server while it runs', Error::class, function (): void {
        $other = contract_server();
        $other->run();
    }, 'runs in this process already');
    Tusk\Timer::defer(function () use ($server): void {
        $offers = ['v1, v2' => 'v1', 'v2, v1' => 'v2', 'x, v2, v1' => 'v2', 'x' => null, 'V1' => null, '' => null];
        foreach ($offers as $offer => $expected) {
            $peer = Peer::open($server->port, '/any/path', $offer === '' ? [] : ['Sec-WebSocket-Protocol' => $offer]);
            same("an offer of \"$offer\"", [101, $expected], [$peer->status(), preg_match('/^sec-websocket-protocol: (\S+)/im', $peer->head, $m) ? $m[1] : null]);
            same("Connection::\$subprotocol after an offer of \"$offer\"", $expected ?? '(null)', $peer->text());
            $peer->goodbye();
        }
        $peer = Peer::open($server->port);
        $peer->text();
        $peer->send('queue, then stop');
        same('stop: queued bytes leave', str_repeat('q', 300000), $peer->text());
        $close = $peer->receive();
        same('stop: then Close 1001', 1001, $close instanceof Tusk\WebSocket\CloseFrame ? $close->code : $close);
        $peer->goodbye(1001);
    });
});
$server->onOpen(fn (Connection $c) => $c->send($c->subprotocol ?? '(null)'));
$server->onMessage(function (Connection $c) use ($server): void {
    $c->send(str_repeat('q', 300000), MessageType::Binary);
    $server->stop();
});
$server->run();
same('port after run()', $started, $server->port);
refused('run: a second time', Error::class, fn () => $server->run(), 'only once');
accepted('stop: after run()', fn () => $server->stop());
holds('nobody listens any more', @stream_socket_client("tcp://127.0.0.1:$started", $code, $text, 1) === false);
tally();
?>
--EXPECT--
56 points hold
