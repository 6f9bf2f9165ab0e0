--TEST--
Overflow: who reads too slowly is closed, misses the oldest, misses the newest, or gets the newest alone; all of it counted
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Overflow, Server};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\Connection;

const BYTES = 16384;
$numbered = fn (int $n): string => str_pad("$n.", BYTES, 'x');

/** A subscriber by either transport: text() is the data of its next event, or how it ended. */
interface Subscriber
{
    public function text(): string;
}
final class OfSocket implements Subscriber
{
    public function __construct(private Peer $peer) {}
    public function text(): string { return $this->peer->text(); }
}
final class OfStream implements Subscriber
{
    public function __construct(private Peer $peer) { $peer->write("GET / HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n\r\n"); }
    public function text(): string
    {
        while (preg_match('/data: (.*)\n\n/', $this->peer->in, $m, PREG_OFFSET_CAPTURE) !== 1) {
            if (str_ends_with($this->peer->in, "\r\n0\r\n\r\n") || !$this->peer->fill()) {
                return '(end)';
            }
        }
        $this->peer->in = substr($this->peer->in, $m[0][1] + strlen($m[0][0]));
        return $m[1][0];
    }
}

/** Publishes to a subscriber that does not read until its policy has acted; then reads what it gets. */
$slow = function (string $transport, Overflow $overflow, string $counter) use ($numbered): void {
    $server = new Server('127.0.0.1:0', limits: new Limits(queuedBytes: 200_000));
    $server->websocket('/', open: fn (Connection $c) => $c->subscribe('t', overflow: $overflow));
    $server->events('/', fn (EventStream $s) => $s->subscribe('t', overflow: $overflow));
    talk($server, function (int $port) use ($server, $transport, $overflow, $counter, $numbered): void {
        $peer = $transport === 'socket' ? new OfSocket(Peer::open($port)) : new OfStream(new Peer($port));
        until(fn () => $server->subscribers('t') === 1);
        $sent = 1;
        $server->publish('t', $numbered($sent));
        $got = [(int) $peer->text()]; // what went before is on its way, so that the next goes straight to the socket
        until(function () use ($server, $counter, $numbered, &$sent): bool {
            for ($i = 0; $i < 16; $i++) {
                $server->publish('t', $numbered(++$sent));
            }
            return $server->stats()[$counter] > 20;
        }, 'the queue to be full');
        // Everything that is there for it; then it is live again.
        until(function () use ($peer, $server, &$got, $sent, $counter): bool {
            $got[] = (int) $peer->text();
            return count($got) + $server->stats()[$counter] === $sent;
        }, 'the rest');
        $newest = end($got) === $sent;
        $server->publish('t', 'live again');
        $sorted = $got;
        sort($sorted);
        echo "$overflow->name by $transport: ", $sorted === array_values(array_unique($got)) ? 'in order' : 'mixed up', ", first $got[0], then $got[1], ",
            $newest ? 'the newest at the end' : 'not the newest', ', ', $peer->text(), "\n";
    });
};
foreach (['socket', 'stream'] as $transport) {
    $slow($transport, Overflow::DropNewest, 'dropped_newest');
    $slow($transport, Overflow::DropOldest, 'dropped_oldest');
    $slow($transport, Overflow::Conflate, 'conflated');
}
foreach (['socket', 'stream'] as $transport) {
    $closing = new Server('127.0.0.1:0', limits: new Limits(queuedBytes: 200_000));
    $closing->websocket('/', open: fn (Connection $c) => $c->subscribe('t'));
    $closing->events('/', fn (EventStream $s) => $s->subscribe('t'));
    talk($closing, function (int $port) use ($closing, $transport, $numbered): void {
        $peer = $transport === 'socket' ? new OfSocket(Peer::open($port)) : new OfStream(new Peer($port));
        until(fn () => $closing->subscribers('t') === 1);
        $sent = 0;
        until(function () use ($closing, $numbered, &$sent): bool {
            for ($i = 0; $i < 16; $i++) {
                $closing->publish('t', $numbered(++$sent));
            }
            return $closing->stats()['overflow_closed'] === 1;
        }, 'the close');
        $got = [];
        while (($text = $peer->text()) !== '' && $text[0] !== '(') {
            $got[] = (int) $text;
        }
        echo "Close by $transport: ", $got === range(1, count($got)) ? 'nothing missing up to its end' : 'gaps', ", $text\n";
    });
}
?>
--EXPECTF--
DropNewest by socket: in order, first 1, then 2, not the newest, live again
DropOldest by socket: in order, first 1, then 2, the newest at the end, live again
Conflate by socket: in order, first 1, then 2, the newest at the end, live again
DropNewest by stream: in order, first 1, then 2, not the newest, live again
DropOldest by stream: in order, first 1, then 2, the newest at the end, live again
Conflate by stream: in order, first 1, then 2, the newest at the end, live again
Close by socket: nothing missing up to its end, (close 1013 %s)
Close by stream: nothing missing up to its end, (end)
