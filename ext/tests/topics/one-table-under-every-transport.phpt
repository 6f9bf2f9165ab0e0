--TEST--
A published message reaches WebSocket and SSE subscribers; positions resume; the sender is left out by Connection::publish
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Overflow, Position, Server};
use Tusk\Http\Request;
use Tusk\Sse\EventStream;
use Tusk\WebSocket\{Connection, MessageType};

$server = new Server('127.0.0.1:0');
$server->websocket('/rooms/{room}',
    authorize: fn (Request $r) => match ($r->query('as')) { null => null, 'teapot' => Tusk\Http\Response::text('no', 418), default => $r->query('as') },
    open: fn (Connection $c) => $c->subscribe("room.{$c->params['room']}", since: $c->query('since'), overflow: Overflow::DropOldest),
    message: fn (Connection $c, string $data) => $c->publish("room.{$c->params['room']}", "$c->identity: $data"),
    close: fn (Connection $c, int $code, string $reason) => print("closed $c->identity $code $reason\n"),
);
$server->events('/rooms/{room}/events', function (EventStream $s) {
    $s->retry(1234);
    $s->comment('hello');
    $s->subscribe("room.{$s->params['room']}", since: $s->lastEventId);
}, close: fn (EventStream $s) => print("stream closed\n"));
talk($server, function (int $port) use ($server): void {
    echo Peer::open($port, '/rooms/a')->status(), ' ', Peer::open($port, '/rooms/a?as=teapot')->status(), ' ', Peer::open($port, '/nix')->status(), "\n";
    $ann = Peer::open($port, '/rooms/a?as=ann');
    $bob = Peer::open($port, '/rooms/a?as=bob');
    $sse = new Peer($port);
    $sse->write("GET /rooms/a/events HTTP/1.1\r\nHost: h\r\n\r\n");
    $sse->readHead();
    until(fn () => $server->subscribers('room.a') === 3);
    $ann->send('hi');
    echo $bob->text(), "\n";
    $position = $server->publish('room.a', 'from the server');
    echo get_debug_type($position), ' ', $ann->text(), ' | ', $bob->text(), "\n";
    until(function () use ($sse) { $sse->fill(); return str_contains($sse->in, 'from the server'); });
    echo preg_replace(['/^[0-9a-f]+\r\n/m', '/[0-9a-f]{4,}:/', "/\r\n/"], ['', 'EPOCH:', ''], $sse->in);
    $server->publish('room.a', 'later');
    $late = Peer::open($port, "/rooms/a?as=late&since=" . urlencode((string) $position));
    echo $late->text(), "\n";
    $lost = Peer::open($port, "/rooms/a?as=lost&since=nonsense");
    echo preg_replace('/[0-9a-f]+:/', 'EPOCH:', $lost->text()), "\n";
    attempt(fn () => new Position('x'));
    attempt(fn () => $server->publish('', 'x'));
    attempt(fn () => $server->publish('t', "\xff"));
    attempt(fn () => $server->publish('t', 'x', MessageType::Ping));
    attempt(fn () => $server->publish('t', 'x', event: "a\nb"));
    attempt(fn () => $server->publish('t', 'x', id: "a\0b"));
    var_dump(new Position((string) $position) == $position, $server->position() > $position);
    var_dump(json_encode(['position' => $position]) === json_encode(['position' => (string) $position]));
    $bob->goodbye(4000);
    until(fn () => $server->subscribers('room.a') === 4);
    fclose($sse->stream);
    until(fn () => $server->subscribers('room.a') === 3);
    foreach ([$ann, $late, $lost] as $left => $peer) { // one after the other: the order of two ends in one turn is nobody's promise
        $peer->goodbye();
        until(fn () => $server->subscribers('room.a') === 2 - $left);
    }
});
?>
--EXPECT--
401 418 404
ann: hi
Tusk\Position from the server | from the server
:

retry: 1234

: hello

id: EPOCH:1
data: ann: hi

id: EPOCH:2
data: from the server

later
{"type":"reset","position":"EPOCH:3"}
ValueError: Tusk\Position::__construct(): Argument #1 ($text) must be a position ("epoch:offset"), "x" given
ValueError: Tusk\Server::publish(): Argument #1 ($topic) must have 1 to 1024 bytes, 0 given
ValueError: Tusk\Server::publish(): Argument #2 ($data) must be valid UTF-8 for a text message
ValueError: Tusk\Server::publish(): Argument #3 ($type) must be MessageType::Text or MessageType::Binary
ValueError: Tusk\Server::publish(): Argument #4 ($event) must be valid UTF-8 without CR, LF or NUL
ValueError: Tusk\Server::publish(): Argument #5 ($id) must be valid UTF-8 without CR, LF or NUL
bool(true)
bool(true)
bool(true)
closed bob 4000 
stream closed
closed ann 1000 
closed late 1000 
closed lost 1000 
