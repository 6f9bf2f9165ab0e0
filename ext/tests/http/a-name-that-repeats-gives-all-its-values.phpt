--TEST--
Of a name that repeats, in a query or among an answer's headers, all values can be read, decoded as the single one is
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\{Client, ClientResponse, Request, Response};
use Tusk\Server;
use Tusk\Sse\EventStream;
use Tusk\Testing\Loopback;
use Tusk\WebSocket\Connection;

$values = fn (Request|EventStream|Connection $of): array => array_map($of->queryValues(...), ['tag', 'a b', 'one', 'none', '']);
$server = new Server('127.0.0.1:0');
$server->get('/q', fn (Request $r) => Response::json(
    [$values($r), $r->query('tag'), $r->query('a b'), $r->query('a+b'), $r->query('a%20b'), $r->queryAll()]
));
$server->events('/events', fn (EventStream $s) => $s->send(json_encode($values($s))));
$server->websocket('/ws', open: fn (Connection $c) => $c->send(json_encode($values($c))));
$server->get('/cookies', fn () => new Response(200, '', ['Set-Cookie' => ['a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT', 'b=2', 'c=3'], 'X-One' => 'o, n']));

$loopback = new Loopback($server);
$query = '?tag=b%2Ba&one=1&a+b=1&tag=a+b&a%20b=2&&tag&=x&t%61g=%e4%zz';
echo $loopback->request('GET', "/q$query")->body, "\n";
echo $loopback->request('GET', '/q')->body, "\n";
echo $loopback->events("/events$query")->receive()->data, "\n";
echo $loopback->connect("/ws$query")->receive(), "\n";

$answer = $loopback->request('GET', '/cookies');
$headers = fn (ClientResponse $of): string => json_encode([...array_map($of->headerValues(...), ['set-cookie', 'Set-Cookie', 'x-one', 'none']), $of->header('Set-Cookie')]);
echo $headers($answer), "\n", $headers(clone $answer), "\n";
var_dump(isset($answer->repeated));
talk($server, function (int $port) use ($headers): void {
    echo $headers((new Client())->get("http://127.0.0.1:$port/cookies")), "\n";
});
?>
--EXPECT--
[[["b+a","a b","","%e4%zz"],["1","2"],["1"],[],["x"]],"b+a","1",null,null,{"tag":"b+a","one":"1","a b":"1","":"x"}]
[[[],[],[],[],[]],null,null,null,null,[]]
[["b+a","a b","","%e4%zz"],["1","2"],["1"],[],["x"]]
[["b+a","a b","","%e4%zz"],["1","2"],["1"],[],["x"]]
[["a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT","b=2","c=3"],["a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT","b=2","c=3"],["o, n"],[],"a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT, b=2, c=3"]
[["a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT","b=2","c=3"],["a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT","b=2","c=3"],["o, n"],[],"a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT, b=2, c=3"]
bool(false)
[["a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT","b=2","c=3"],["a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT","b=2","c=3"],["o, n"],[],"a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT, b=2, c=3"]
