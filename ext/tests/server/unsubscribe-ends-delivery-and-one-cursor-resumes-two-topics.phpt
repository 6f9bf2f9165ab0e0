--TEST--
unsubscribe() ends delivery on both transports and leaves other topics alone; one cursor resumes two topics on either
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\Connection;

$server = new Server('127.0.0.1:0', limits: new Limits(heartbeatMs: 100)); // who went without a word is noticed by it
$held = null;
$server->websocket('/ws',
    open: function (Connection $c) {
        $since = $c->query('since');
        $c->subscribe('a', since: $since);
        $c->subscribe('b', since: $since);
    },
    message: function (Connection $c, string $topic) { $c->unsubscribe($topic); $c->unsubscribe('never'); $c->send("left $topic"); },
);
$server->events('/sse', function (EventStream $s) use (&$held) {
    $s->subscribe('a', since: $s->lastEventId);
    $s->subscribe('b', since: $s->lastEventId);
    $held = $s;
});
talk($server, function (int $port) use ($server, &$held): void {
    $ws = Peer::open($port, '/ws');
    $stream = function (string $more = '') use ($port): Peer {
        $sse = new Peer($port);
        $sse->write("GET /sse HTTP/1.1\r\nHost: h\r\n$more\r\n");
        $sse->readHead();
        return $sse;
    };
    $read = function (Peer $sse, string $last): string {
        until(function () use ($sse, $last) { $sse->fill(); return str_contains($sse->in, "data: $last\n"); });
        preg_match_all('/^data: (.*?)\r?$/m', $sse->in, $found);
        return implode(' ', $found[1]);
    };
    $sse = $stream();
    until(fn () => $server->subscribers('a') === 2 && $server->subscribers('b') === 2);
    $before = $server->publish('a', 'a1');
    $server->publish('b', 'b1');
    echo $ws->text(), ' ', $ws->text(), "\n";
    $ws->send('a');
    echo $ws->text(), ' ', $server->subscribers('a'), $server->subscribers('b'), "\n";
    $held->unsubscribe('a');
    echo $server->subscribers('a'), $server->subscribers('b'), "\n";
    $server->publish('a', 'a2');
    $server->publish('b', 'b2');
    echo $ws->text(), "\n", $read($sse, 'b2'), "\n";
    $late = Peer::open($port, '/ws?since=' . urlencode((string) $before));
    echo $late->text(), ' ', $late->text(), ' ', $late->text(), "\n";
    $resumed = $stream("Last-Event-ID: $before\r\n");
    echo $read($resumed, 'b2'), "\n";
    $server->publish('b', 'b3');
    echo $late->text(), ' | ', $read($resumed, 'b3'), "\n";
});
?>
--EXPECT--
a1 b1
left a 12
02
b2
a1 b1 b2
b1 a2 b2
b1 a2 b2
b3 | b1 a2 b2 b3
