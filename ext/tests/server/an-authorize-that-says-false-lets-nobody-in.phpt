--TEST--
authorize that answers by true or false: false is 401, as null is, of WebSockets, event streams and HEAD, also after a wait; other empty values are identities
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\Request;
use Tusk\Sse\EventStream;
use Tusk\Testing\Loopback;
use Tusk\WebSocket\Connection;

$server = new Server();
$known = fn (Request $r): bool => $r->query('key') === 'secret';
$later = function (Request $r) use ($known): bool {
    Timer::sleep(0.001);
    return $known($r);
};
foreach (['at-once' => $known, 'later' => $later] as $when => $authorize) {
    $server->websocket("/ws/$when", authorize: $authorize, open: function (Connection $c): void { var_dump($c->identity); });
    $server->events("/events/$when", function (EventStream $s): void { var_dump($s->identity); }, authorize: $authorize);
}
foreach (['zero' => 0, 'empty' => '', 'nothing' => []] as $name => $identity) {
    $server->websocket("/$name", authorize: fn () => $identity, open: function (Connection $c): void { echo json_encode($c->identity), "\n"; });
}
$loop = new Loopback($server);
foreach (['at-once', 'later'] as $when) {
    foreach (['', '?key=wrong', '?key=secret'] as $query) {
        $socket = $loop->connect("/ws/$when$query");
        $stream = $loop->events("/events/$when$query");
        $loop->settle(0.1);
        echo "$when $query: $socket->status $stream->status ", $loop->request('HEAD', "/events/$when$query")->status, "\n";
    }
}
foreach (['zero', 'empty', 'nothing'] as $name) {
    echo $loop->connect("/$name")->status, "\n";
}
?>
--EXPECT--
at-once : 401 401 401
at-once ?key=wrong: 401 401 401
bool(true)
bool(true)
at-once ?key=secret: 101 200 200
later : 401 401 401
later ?key=wrong: 401 401 401
bool(true)
bool(true)
later ?key=secret: 101 200 200
0
101
""
101
[]
101
