--TEST--
HTTP, WebSocket and SSE clients inside a server's handlers wait without holding it
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\{Request, Response};
use Tusk\Sse\EventStream;
use Tusk\WebSocket\{Connection, MessageType};

$server = new Server('127.0.0.1:0');
$server->get('/slow/{n}', function (Request $r): Response {
    Timer::sleep(0.05);
    return Response::json(['n' => $r->params['n'], 'agent' => $r->header('x-agent')]);
});
$server->post('/body', fn (Request $r) => Response::text(strrev($r->body), 201)->withHeader('X-A', 'one')->withAddedHeader('x-a', 'two'));
$server->events('/events', fn (EventStream $s) => $s->subscribe('news', since: $s->lastEventId));
$server->websocket('/ws', message: fn (Connection $c, string $m, MessageType $t) => $c->send("re: $m", $t), subprotocols: ['a', 'b'],
    open: fn (Connection $c) => $c->send('welcome'));
talk($server, function (int $port) use ($server): void {
    $http = new Tusk\Http\Client(timeout: 20);
    $done = 0;
    for ($i = 0; $i < 5; $i++) {
        Timer::defer(function () use ($http, $port, $i, &$done) {
            $r = $http->get("http://127.0.0.1:$port/slow/$i", ['X-Agent' => 'me']);
            if ($r->status === 200 && $r->json() === ['n' => (string) $i, 'agent' => 'me']) {
                $done++;
            }
        });
    }
    until(function () use (&$done) { return $done === 5; });
    $r = $http->post("http://127.0.0.1:$port/body", 'abc');
    echo $r->status, ' ', $r->body, ' ', $r->header('X-A'), ' ', var_export($r->header('nope'), true), "\n";
    echo $http->request('DELETE', "http://127.0.0.1:$port/nix")->status, "\n";
    attempt(fn () => $http->get('nonsense'));
    attempt(fn () => $http->get("http://127.0.0.1:$port/", ["X\n" => 'y']));

    $ws = new Tusk\WebSocket\Client("ws://127.0.0.1:$port/ws", subprotocols: ['b', 'a']);
    echo $ws->subprotocol, ' ', $ws->receive(), "\n";
    $ws->send('hello');
    $ws->send("\xff\0", MessageType::Binary);
    echo $ws->receive(), ' ', $ws->lastType()->name, ' ', bin2hex($ws->receive()), ' ', $ws->lastType()->name, "\n";
    var_dump($ws->receive(0.01), $ws->isOpen(), $ws->closeCode);
    $ws->close(4001, 'enough');
    var_dump($ws->isOpen(), $ws->closeCode, $ws->receive());
    attempt(fn () => $ws->send('x'));
    attempt(fn () => new Tusk\WebSocket\Client('http//x'));

    $sse = new Tusk\Sse\Client("http://127.0.0.1:$port/events");
    until(fn () => $server->subscribers('news') === 1);
    $server->publish('news', "two\nlines");
    $server->publish('news', 'typed', event: 'kind');
    foreach ($sse as $i => $event) {
        echo $i, ' ', $event->type, ' ', json_encode($event->data), ' ', $event->lastEventId === (string) $server->position() ? 'last' : 'earlier', "\n";
        if ($i === 1) {
            break;
        }
    }
    var_dump($sse->receive(0.01), $sse->state(), $sse->lastEventId() === (string) $server->position());
    $sse->close();
    var_dump($sse->state(), $sse->receive());
});
$free = stream_socket_server('tcp://127.0.0.1:0', $code, $text, STREAM_SERVER_BIND); // ours, and nobody listens
$name = stream_socket_get_name($free, false);
attempt(function () use ($name) {
    try {
        new Tusk\WebSocket\Client("ws://$name/");
    } catch (Tusk\Exception $e) {
        throw new Exception(str_replace($name, 'NAME', $e->getMessage()));
    }
});
?>
--EXPECT--
201 cba one, two NULL
404
ValueError: Not a request that can be sent: "GET" to "nonsense" must be a method and an http:// or https:// URL, with headers that the client does not write itself
ValueError: Tusk\Http\Client::get(): Argument #2 ($headers) must be of the form name => value, "X
" is no header name
b welcome
re: hello Text 72653a20ff00 Binary
NULL
bool(true)
NULL
bool(false)
int(4001)
NULL
Tusk\Exception: Cannot send on a closed connection
ValueError: Tusk\WebSocket\Client::__construct(): Argument #1 ($url) must be a ws:// or wss:// URL with headers and subprotocols that can be sent, "http//x" given
0 message "two\nlines" earlier
1 kind "typed" last
NULL
int(1)
bool(true)
int(2)
NULL
Exception: Cannot connect to ws://NAME/ (connect): connection refused
