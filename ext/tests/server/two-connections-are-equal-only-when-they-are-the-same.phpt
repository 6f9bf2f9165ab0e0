--TEST--
Two connections are equal only when they are the same one, though nobody has looked at either; two requests likewise
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Request;
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\WebSocket\Connection;

$server = new Server();
$held = $requests = [];
$server->websocket('/',
    open: function (Connection $c) use (&$held) {
        $held[] = $c;
    },
    message: function (Connection $c) use (&$held) {
        var_dump(array_search($c, $held), $held[0] == $held[1], $held[1] == $c, $c == true, $c == null);
    });
$server->get('/', function (Request $r) use (&$requests) {
    $requests[] = $r;
    return '';
});
$loop = new Loopback($server);
$a = $loop->connect();
$b = $loop->connect();
$b->send('who am I?');
$loop->request('GET', '/', ['x' => 'a']);
$loop->request('GET', '/', ['x' => 'b']);
var_dump($requests[0] == $requests[1], $requests[0]->headers['x'] . $requests[1]->headers['x']);
?>
--EXPECT--
int(1)
bool(false)
bool(true)
bool(true)
bool(false)
bool(false)
string(2) "ab"
