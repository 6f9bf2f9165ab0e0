--TEST--
Overflow: who reads too slowly is closed, misses the oldest, misses the newest, or gets the newest alone; all of it counted
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Overflow, Server};
use Tusk\WebSocket\Connection;

const BYTES = 16384;
$numbered = fn (int $n): string => str_pad("$n.", BYTES, 'x');

/** Publishes to a subscriber that does not read until its policy has acted; then reads what it gets. */
$slow = function (Overflow $overflow, string $counter) use ($numbered): void {
    $server = new Server('127.0.0.1:0', limits: new Limits(queuedBytes: 200_000));
    $server->websocket('/', open: fn (Connection $c) => $c->subscribe('t', overflow: $overflow));
    talk($server, function (int $port) use ($server, $overflow, $counter, $numbered): void {
        $peer = Peer::open($port);
        until(fn () => $server->subscribers('t') === 1);
        $sent = 0;
        until(function () use ($server, $counter, $numbered, &$sent): bool {
            for ($i = 0; $i < 16; $i++) {
                $server->publish('t', $numbered(++$sent));
            }
            return $server->stats()[$counter] > 20;
        }, 'the queue to be full');
        $got = []; // everything that is there for it; then it is live again
        until(function () use ($peer, $server, &$got, $sent, $counter): bool {
            $got[] = (int) $peer->receive()->payload;
            return count($got) + $server->stats()[$counter] === $sent;
        }, 'the rest');
        $newest = end($got) === $sent;
        $server->publish('t', 'live again');
        $sorted = $got;
        sort($sorted);
        echo $overflow->name, ': ', $sorted === array_values(array_unique($got)) ? 'in order' : 'mixed up', ", first $got[0], ",
            $newest ? 'the newest at the end' : 'not the newest', ', ', $peer->text(), "\n";
    });
};
$slow(Overflow::DropNewest, 'dropped_newest');
$slow(Overflow::DropOldest, 'dropped_oldest');
$slow(Overflow::Conflate, 'conflated');
$closing = new Server('127.0.0.1:0', limits: new Limits(queuedBytes: 200_000));
$closing->websocket('/', open: fn (Connection $c) => $c->subscribe('t'));
talk($closing, function (int $port) use ($closing, $numbered): void {
    $peer = Peer::open($port);
    $sent = 0;
    until(function () use ($closing, $numbered, &$sent): bool {
        for ($i = 0; $i < 16; $i++) {
            $closing->publish('t', $numbered(++$sent));
        }
        return $closing->stats()['overflow_closed'] === 1;
    }, 'the close');
    $got = [];
    while (($frame = $peer->receive()) instanceof Tusk\WebSocket\Frame) {
        $got[] = (int) $frame->payload;
    }
    echo 'Close: ', $got === range(1, count($got)) ? 'nothing missing up to its end' : 'gaps', ", $frame->code\n";
});
?>
--EXPECT--
DropNewest: in order, first 1, not the newest, live again
DropOldest: in order, first 1, the newest at the end, live again
Conflate: in order, first 1, the newest at the end, live again
Close: nothing missing up to its end, 1013
