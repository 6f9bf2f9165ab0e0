--TEST--
Testing\Loopback runs a server's handlers without ports
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\{Request, Response};
use Tusk\Testing\Loopback;
use Tusk\WebSocket\{Connection, HandshakeException, MessageType};

$server = new Server();
$server->websocket('/rooms/{room}', subprotocols: ['v1'],
    authorize: fn (Request $r) => $r->query('as'),
    open: fn (Connection $c) => $c->subscribe($c->params['room']),
    message: function (Connection $c, string $m) {
        Timer::sleep(0.005);
        $c->publish($c->params['room'], "$c->identity: $m");
    },
    close: fn (Connection $c, int $code) => print("closed $c->identity $code\n"));
$server->post('/echo', fn (Request $r) => Response::text("$r->method $r->body {$r->header('x-a')}", 201));
$loop = new Loopback($server);
$r = $loop->request('POST', '/echo', ['X-A' => 'b'], 'body');
echo $r->status, ' ', $r->body, ' ', $r->header('content-type'), "\n";
echo $loop->request('GET', '/none')->status, ' ', strlen($loop->request('HEAD', '/none')->body), "\n";
echo $loop->connect('/rooms/x')->status, "\n";
$ann = $loop->connect('/rooms/x?as=ann', subprotocols: ['v0', 'v1']);
$bob = $loop->connect('/rooms/x?as=bob');
echo $ann->status, ' ', $ann->subprotocol, ' ', var_export($bob->subprotocol, true), "\n";
$ann->send('hello');
var_dump($bob->receive(), $bob->receive(), $ann->receive(), $ann->closeCode());
$server->publish('x', 'from outside');
var_dump($ann->receive());
$ann->close(4000, 'bye');
var_dump($ann->closeCode());
echo strtok($loop->raw("GARBAGE\r\n\r\n"), "\r"), "\n";
attempt(fn () => $server->get('/late', fn () => 1));

$compat = new Tusk\WebSocket\Server();
$compat->onHandshake(fn ($r) => $r->target === '/no' ? throw new HandshakeException() : null);
$compat->onMessage(fn (Connection $c, string $m, MessageType $t) => $m === 'boom' ? throw new Exception('x') : $c->send("$t->name $m", $t));
$compat->onError(fn (Throwable $e) => print("error {$e->getMessage()}\n"));
$loop = new Loopback($compat);
echo $loop->connect('/no')->status, "\n";
$c = $loop->connect('/');
$c->send('x', MessageType::Binary);
var_dump($c->receive());
$c->send('boom');
var_dump($c->closeCode());
unset($loop, $c, $compat);
gc_collect_cycles();
?>
--EXPECT--
201 POST body b text/plain; charset=utf-8
404 0
401
101 v1 NULL
string(10) "ann: hello"
NULL
NULL
NULL
string(12) "from outside"
closed ann 4000
int(4000)
HTTP/1.1 400 Bad Request
nothing thrown
403
string(8) "Binary x"
error x
int(1011)
