--TEST--
Testing\Loopback opens event streams: what is published, sent to one, missed and refused, and how they end
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;
use Tusk\Testing\{Loopback, LoopbackStream};
use Tusk\WebSocket\{Connection, MessageType};

$server = new Server();
$server->events('/rooms/{room}', function (EventStream $s): void {
    $s->send("two\nlines", 'greeting', 'g1');
    $s->subscribe($s->params['room'], since: $s->lastEventId);
}, close: fn (EventStream $s) => print("closed {$s->params['room']}\n"), authorize: fn (Request $r) => $r->query('as'));
$server->events('/once', function (EventStream $s): void {
    $s->send('only this');
    $s->close();
});
$server->events('/later', function (EventStream $s): void {
    Timer::sleep(0.005);
    $s->send($s->header('x-a') . ' ' . ($s->lastEventId ?? 'new'));
});
$server->get('/page', fn () => Response::text('no stream'));
$server->websocket('/types', message: fn (Connection $c, string $m, MessageType $t) => $c->send($m, $t));
$loop = new Loopback($server);
$show = fn (?Tusk\Sse\Event $e): string => $e === null ? "nothing\n" : json_encode([$e->type, $e->data, $e->lastEventId]) . "\n";

$stream = $loop->events('/rooms/x?as=ann');
echo $stream->status, ' ', $show($stream->receive()), $show($stream->receive());
var_dump($stream->isOpen(), $server->subscribers('x'));
$first = (string) $server->publish('x', 'first');
$second = (string) $server->publish('x', str_repeat('long ', 50000), event: 'big');
$event = $stream->receive();
var_dump($event->lastEventId === $first, $event->data, strlen($stream->receive()->data), $stream->receive());
$stream->close();
var_dump($stream->isOpen(), $stream->receive(), $server->subscribers('x'));

$back = $loop->events('/rooms/x?as=ann', lastEventId: $first);
$back->receive();
var_dump($back->receive()->lastEventId === $second);
unset($back);
$loop->settle();

echo $loop->events('/rooms/x')->status, ' ', $loop->events('/none')->status, ' ', $loop->events('/page')->status, "\n";
$page = $loop->events('/page');
var_dump($page->isOpen(), $page->receive());
$once = $loop->events('/once');
echo $show($once->receive()), $show($once->receive());
var_dump($once->isOpen());
echo $show($loop->events('/later', ['X-A' => 'b'], 'cursor')->receive());
$client = $loop->connect('/types');
$client->send("\xff", MessageType::Binary);
echo bin2hex($client->receive()), ' ', $client->lastType()->name, "\n";
attempt(fn () => $loop->request('GET', '/once'));
attempt(fn () => $loop->events('/later', lastEventId: "a\nb"));
attempt(fn () => $loop->events('/later', ["a b" => 'c']));
attempt(fn () => new LoopbackStream());
attempt(fn () => clone $once);
?>
--EXPECT--
200 ["greeting","two\nlines","g1"]
nothing
bool(true)
int(1)
bool(true)
string(5) "first"
int(250000)
NULL
closed x
bool(false)
NULL
int(0)
bool(true)
closed x
401 404 200
bool(false)
NULL
["message","only this",""]
nothing
bool(false)
["message","b cursor",""]
ff Binary
LogicException: /once is an event stream: events() reads it
ValueError: Tusk\Testing\Loopback::events(): Argument #3 ($lastEventId) must have no CR, LF, NUL or other control byte
ValueError: Tusk\Testing\Loopback::events(): Argument #2 ($headers) must be of the form name => value, "a b" is no header name
Error: Call to private Tusk\Testing\LoopbackStream::__construct() from global scope
Error: Trying to clone an uncloneable object of class Tusk\Testing\LoopbackStream
