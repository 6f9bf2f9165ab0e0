--TEST--
Server: a send() over queuedBytes closes a WebSocket and an event stream alike, and both are counted as overflow_closed
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\Connection;

$server = new Server('127.0.0.1:0', limits: new Limits(queuedBytes: 200_000));
$long = str_repeat('x', 200_001);
$server->websocket('/', function (Connection $c) use ($long): void {
    $c->send($long);
    $c->send('it is closing: this counts nothing');
});
$server->events('/', fn (EventStream $s) => $s->send($long));
talk($server, function (int $port) use ($server): void {
    $counts = fn (): string => implode(' and ', array_intersect_key($server->stats(), ['sends_refused' => 1, 'overflow_closed' => 1]));
    $peer = Peer::open($port);
    $peer->send('go');
    echo $peer->text(), ': ', $counts(), "\n";
    $stream = new Peer($port);
    $stream->write("GET / HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n\r\n");
    while ($stream->fill()) {
    }
    echo str_ends_with($stream->in, "\r\n0\r\n\r\n") ? 'the stream ends' : $stream->in, ': ', $counts(), "\n";
});
?>
--EXPECT--
(close 1013 queue full): 1 and 1
the stream ends: 2 and 2
