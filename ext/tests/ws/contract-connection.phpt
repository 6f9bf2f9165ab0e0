--TEST--
Contract: Connection: its properties, what send() and close() take, and when they refuse
--FILE--
<?php
require __DIR__ . '/contract.inc';
use Tusk\WebSocket\{CloseFrame, Connection, MessageType, Protocol, Server};

/** Runs $inside in onMessage of a new server, then $outside with the peer whose message that was. */
function with_connection(callable $inside, callable $outside, array $options = []): void
{
    $server = contract_server($options);
    $kept = null;
    $failure = null;
    $server->onError(function (Throwable $e) use (&$failure): void { $failure = $e; });
    $server->onMessage(function (Connection $c, string $m) use ($inside, &$kept): void {
        $kept = $c;
        $inside($c, $m);
    });
    talk($server, function (int $port) use ($outside, $server, &$kept): void {
        $peer = Peer::open($port);
        $peer->send('go');
        $outside($peer, function () use ($server, &$kept): Connection {
            until(fn () => $server->stats()['websockets_open'] === 0);
            return $kept;
        });
    });
    if ($failure !== null) {
        holds('an exception in the handler: ' . $failure->getMessage(), false);
    }
}

refused('Connection: is not made by hand', Error::class, fn () => new Connection());

// ---- properties and refusals ----
with_connection(function (Connection $c): void {
    holds('id: a string that is not empty', is_string($c->id) && $c->id !== '');
    same('remoteAddress', 1, preg_match('/^127\.0\.0\.1(:\d+)?$/', $c->remoteAddress));
    same('subprotocol: none', null, $c->subprotocol);
    foreach (['id', 'remoteAddress', 'subprotocol'] as $name) {
        refused("$name cannot be written", Error::class, function () use ($c, $name) { $c->$name = 'x'; }, 'readonly');
    }
    refused('no property of one\'s own but state', Error::class, function () use ($c) { $c->mine = 1; }, 'dynamic property');
    same('state: null at first', null, $c->state);
    $c->state = ['kept' => true];
    same('isOpen', true, $c->isOpen());
    same('bufferedBytes: nothing waits', 0, $c->bufferedBytes());

    refused('send: Continuation', ValueError::class, fn () => $c->send('x', MessageType::Continuation), '#2 ($type)');
    foreach (['Ping', 'Pong'] as $type) {
        refused("send: a $type over 125 bytes", ValueError::class, fn () => $c->send(str_repeat('x', 126), constant(MessageType::class . "::$type")), '#1 ($data)', '125', '126');
    }
    foreach (["\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "ok\xe2\x82"] as $bad) {
        refused('send: text that is not UTF-8, ' . bin2hex($bad), ValueError::class, fn () => $c->send($bad), '#1 ($data)', 'UTF-8');
        refused('send: the same, said to be text', ValueError::class, fn () => $c->send($bad, MessageType::Text), 'UTF-8');
    }
    refused('send: no string', TypeError::class, fn () => $c->send([]), 'string');
    refused('send: no type', TypeError::class, fn () => $c->send('x', 1), 'MessageType');
    refused('ping: over 125 bytes', ValueError::class, fn () => $c->ping(str_repeat('x', 126)), '125');

    foreach ([-1, 0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65536, PHP_INT_MAX, PHP_INT_MIN] as $code) {
        refused("close: code $code", ValueError::class, fn () => $c->close($code), '#1 ($code)');
    }
    refused('close: a reason over 123 bytes', ValueError::class, fn () => $c->close(1000, str_repeat('x', 124)), '#2 ($reason)', '123');
    refused('close: a reason that is not UTF-8', ValueError::class, fn () => $c->close(1000, "\xff"), '#2 ($reason)', 'UTF-8');
    same('after all these it is open', [true, 0], [$c->isOpen(), $c->bufferedBytes()]);

    // ---- what is taken ----
    foreach (['', 'text', 'ü €', str_repeat('a', 70000)] as $text) {
        accepted('send: text of ' . strlen($text) . ' bytes', fn () => $c->send($text));
    }
    accepted('send: any bytes as Binary', fn () => $c->send("\xff\0\xfe", MessageType::Binary));
    accepted('send: a Ping of 125 bytes', fn () => $c->send(str_repeat('p', 125), MessageType::Ping));
    accepted('send: a Pong', fn () => $c->send('pong', MessageType::Pong));
    accepted('ping', fn () => $c->ping('again'));
    holds('bufferedBytes: what this turn wrote', $c->bufferedBytes() > 70000);
    accepted('close: 123 bytes of reason', fn () => $c->close(4999, str_repeat('r', 123)));
    same('isOpen: after close()', false, $c->isOpen());
    accepted('close: again', fn () => $c->close(1000));
    refused('send: after close()', Error::class, fn () => $c->send('late'), 'closed');
    refused('send: a Ping after close()', Error::class, fn () => $c->send('late', MessageType::Ping), 'closed');
    same('state: still there', ['kept' => true], $c->state);
}, function (Peer $peer, callable $ended): void {
    $frames = [];
    while (!(($frame = $peer->receive()) instanceof CloseFrame)) {
        $frames[] = [$frame->type->name, strlen($frame->payload)];
    }
    same('what arrives, in order', [['Text', 0], ['Text', 4], ['Text', 6], ['Text', 70000], ['Binary', 3], ['Ping', 125], ['Pong', 4], ['Ping', 5]], $frames);
    same('the Close that arrives', [4999, 123], [$frame->code, strlen($frame->reason)]);
    $peer->goodbye(4999);
    $c = $ended();
    refused('send: after the end', Error::class, fn () => $c->send('later'), 'closed');
    accepted('close: after the end', fn () => $c->close());
    accepted('terminate: after the end', fn () => $c->terminate());
    same('after the end', [false, 0, null], [$c->isOpen(), $c->bufferedBytes(), $c->state]);
    holds('id and address are still told', $c->id !== '' && str_starts_with($c->remoteAddress, '127.0.0.1'));
});

// ---- every code and type that close() and send() may put on the wire ----
foreach ([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999] as $code) {
    with_connection(fn (Connection $c) => $c->close($code, 'why'), function (Peer $peer) use ($code): void {
        $frame = $peer->receive();
        same("close: $code", [$code, 'why'], [$frame->code, $frame->reason]);
        $peer->goodbye();
    });
}
with_connection(fn (Connection $c) => $c->close(), function (Peer $peer): void {
    $frame = $peer->receive();
    same('close: without arguments', [1000, ''], [$frame->code, $frame->reason]);
    $peer->goodbye();
});
with_connection(fn (Connection $c) => $c->send("\x0f\xa1bye", MessageType::Close), function (Peer $peer): void {
    $frame = $peer->receive();
    same('send: a Close', [4001, 'bye'], [$frame->code, $frame->reason]);
    $peer->goodbye();
});
with_connection(function (Connection $c): void {
    $c->terminate();
    same('isOpen: after terminate()', false, $c->isOpen());
}, function (Peer $peer): void {
    same('terminate: no Close frame', null, $peer->receive());
});

// ---- beyond maxQueuedBytes ----
with_connection(function (Connection $c): void {
    $part = str_repeat('x', 30000);
    for ($i = 0; $i < 3; $i++) {
        $c->send($part, MessageType::Binary);
    }
    $before = $c->bufferedBytes();
    refused('send: beyond maxQueuedBytes', Error::class, fn () => $c->send($part, MessageType::Binary), 'maxQueuedBytes', '90012');
    same('send: nothing of it is queued', $before, $c->bufferedBytes());
    same('send: the connection stays open', true, $c->isOpen());
    accepted('send: what still fits', fn () => $c->send('fits', MessageType::Binary));
    refused('send: one message larger than all', Error::class, fn () => $c->send(str_repeat('y', 200000), MessageType::Binary));
    $c->close(1000, 'the Close goes out over the limit'); // and another exception would show
}, function (Peer $peer): void {
    same('what arrives', [30000, 30000, 30000, 4], array_map(fn () => strlen($peer->text()), range(1, 4)));
    same('then the Close', 'the Close goes out over the limit', $peer->receive()->reason);
    $peer->goodbye();
}, ['maxQueuedBytes' => 100000]);
tally();
?>
--EXPECT--
92 points hold
