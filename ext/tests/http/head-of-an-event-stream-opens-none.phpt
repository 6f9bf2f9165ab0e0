--TEST--
HEAD of an event stream: authorize is asked, its answer or the stream's head comes, nothing is opened and the connection goes on
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\{Request, Response};
use Tusk\{Limits, Server};
use Tusk\Sse\EventStream;

final class Identity
{
    public function __construct(public readonly string $name) {}
    public function __destruct() { echo "($this->name is forgotten)\n"; }
}
$server = new Server('127.0.0.1:0', limits: new Limits(heartbeatMs: 100)); // who went without a word is noticed by it
$server->events('/free', fn () => print("opened\n"));
$server->events(
    '/asked',
    function (EventStream $s): void {
        echo "opened for {$s->identity->name}, {$s->query('as')}\n";
        $s->send('live');
    },
    fn (EventStream $s) => print("closed for {$s->identity->name}\n"),
    fn (Request $r) => match ($r->query('as')) {
        null => null,
        'nobody' => Response::text("go away\n", 403),
        default => new Identity("$r->method by {$r->query('as')}"),
    },
);
talk($server, function (int $port) use ($server): void {
    $ask = function (string $line) use ($port): Peer {
        $peer = new Peer($port);
        $peer->write("$line HTTP/1.1\r\nHost: h\r\n\r\n");
        $peer->head = $peer->readHead();
        preg_match('~^HTTP/1.1 (\d+).*?(?:\nContent-Type: ([\w/-]+)|$)~s', $peer->head, $m);
        echo "$line: $m[1] ", $m[2] ?? '', "\n";
        return $peer;
    };
    $ask('HEAD /free');
    $ask('HEAD /asked');
    $ask('HEAD /asked?as=nobody');
    $peer = $ask('HEAD /asked?as=ann');
    $peer->write("GET /asked?as=ben HTTP/1.1\r\nHost: h\r\n\r\n");
    $peer->readHead();
    until(function () use ($peer) { $peer->fill(); return str_contains($peer->in, "data: live\n\n"); });
    fclose($peer->stream);
    until(fn () => $server->stats()['streams_open'] === 0);
    echo $server->stats()['streams_total'], " stream\n";
});
?>
--EXPECT--
HEAD /free: 200 text/event-stream
HEAD /asked: 401 text/plain
HEAD /asked?as=nobody: 403 text/plain
(HEAD by ann is forgotten)
HEAD /asked?as=ann: 200 text/event-stream
opened for GET by ben, ben
closed for GET by ben
(GET by ben is forgotten)
1 stream
