--TEST--
Contract: what each of ServerOptions' seven options does
--FILE--
<?php
require __DIR__ . '/contract.inc';
use Tusk\Timer;
use Tusk\WebSocket\{CloseFrame, Connection, Frame, MessageType, Protocol};

/** One server with $options, and $client as its client. */
function under(array $options, callable $client): void
{
    $server = contract_server($options);
    $server->onMessage(fn (Connection $c, string $m, MessageType $t) => $c->send($m, $t));
    talk($server, fn (int $port) => $client($port, $server));
}

// ---- maxMessageSize: 1009 from the frame's head alone; the sum of fragments counts ----
under(['maxMessageSize' => 1000], function (int $port): void {
    $peer = Peer::open($port);
    $peer->send(str_repeat('x', 1000));
    same('maxMessageSize: as much as that', 1000, strlen($peer->text()));
    $peer->write("\x82\xfe\x03\xe9\0\0\0\0");
    same('maxMessageSize: a byte more, from its head', 1009, $peer->receive()->code);
    $peer = Peer::open($port);
    $peer->write(Protocol::pack(str_repeat('x', 600), 2, Protocol::FLAG_MASK) . Protocol::pack(str_repeat('x', 401), 0, Protocol::FLAG_MASK));
    same('maxMessageSize: in fragments', 1009, $peer->receive()->code);
});
// ---- maxQueuedBytes: contract-connection.phpt ----
// ---- maxConnections: the next one waits until one of them has gone ----
under(['maxConnections' => 2], function (int $port, $server): void {
    [$a, $b] = [Peer::open($port), Peer::open($port)];
    $third = new Peer($port);
    $third->write("GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
    $b->send('served');
    same('maxConnections: who is in is served', 'served', $b->text());
    Timer::sleep(0.05);
    same('maxConnections: one more waits', [2, ''], [$server->stats()['websockets_open'], (string) fread($third->stream, 100)]);
    $a->goodbye();
    same('maxConnections: and comes in when one goes', 1, preg_match('#^HTTP/1.1 101 #', $third->readHead()));
    $third->send('now');
    same('maxConnections: then it is served', 'now', $third->text());
});
// ---- handshakeTimeoutMs: a head that does not come to its end ----
under(['handshakeTimeoutMs' => 1000], function (int $port): void {
    $silent = new Peer($port);
    $half = new Peer($port);
    $half->write("GET / HTTP/1.1\r\nHost: h\r\nUpgr");
    same('handshakeTimeoutMs: said nothing', 1, preg_match('#^(HTTP/1.1 408 .*)?$#s', $silent->readAll()));
    same('handshakeTimeoutMs: said half of it', 1, preg_match('#^HTTP/1.1 408 #', $half->readAll()));
    $peer = Peer::open($port);
    Timer::sleep(1.1);
    $peer->send('long after');
    same('handshakeTimeoutMs: over once it is done', 'long after', $peer->text());
});
// ---- idleTimeoutMs: nothing received; any frame counts ----
under(['idleTimeoutMs' => 50], function (int $port): void {
    $peer = Peer::open($port);
    $frame = $peer->receive();
    same('idleTimeoutMs: Close 1001', [CloseFrame::class, 1001], [get_class($frame), $frame->code]);
});
under(['idleTimeoutMs' => 2500], function (int $port): void {
    $peer = Peer::open($port);
    for ($i = 0; $i < 28; $i++) { // 2.8 s: Pongs that nobody asked for
        $peer->send('', MessageType::Pong);
        Timer::sleep(0.1);
    }
    $peer->send('awake');
    same('idleTimeoutMs: any received frame counts', 'awake', $peer->text());
});
// ---- pingIntervalMs, pongTimeoutMs ----
under(['pingIntervalMs' => 20, 'pongTimeoutMs' => 60000], function (int $port): void {
    $peer = Peer::open($port);
    for ($i = 1; $i <= 3; $i++) {
        $frame = $peer->receive();
        same("pingIntervalMs: ping $i is empty", [Frame::class, MessageType::Ping, ''], [get_class($frame), $frame->type, $frame->payload]);
        $peer->send('', MessageType::Pong);
    }
    $peer->goodbye();
});
under(['pingIntervalMs' => 20, 'pongTimeoutMs' => 20], function (int $port): void {
    $peer = Peer::open($port);
    while (($frame = $peer->receive()) instanceof Frame) { // pings, none of which is answered
    }
    same('pongTimeoutMs: a missing pong closes', [CloseFrame::class, 1011], [$frame === null ? null : get_class($frame), $frame?->code]);
});
under([], function (int $port): void {
    $peer = Peer::open($port);
    Timer::sleep(0.1);
    same('pingIntervalMs: 0, none is sent', '', (string) fread($peer->stream, 100));
});
tally();
?>
--EXPECT--
17 points hold
