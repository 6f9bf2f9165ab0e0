--TEST--
Connections whose objects nobody holds: each callback sees its own connection, whatever the object stood for before
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Request;
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\WebSocket\Connection;

$server = new Server();
$ids = $weak = [];
$server->websocket('/rooms/{room}', subprotocols: ['a', 'b'],
    message: function (Connection $c, string $m) use (&$ids, &$weak) {
        $room = $c->params['room'];
        switch ($m) {
            case 'look':
                $ids[$room] ??= $c->id;
                var_export($c, true); // also what a look at all properties leaves behind
                $c->send($c->id === $ids[$room] && $c->subprotocol === $room && $c->identity === null
                    ? get_debug_type($c->state) : 'another one');
                break;
            case 'glance':
                $c->send($c->subprotocol);
                break;
            case 'state':
                $c->state = $room;
                break;
            case 'unset':
                unset($c->state);
                break;
            case 'weak':
                $weak[$room] = WeakReference::create($c);
                break;
            case 'weakly':
                $c->send($weak[$room]->get() === $c ? 'same' : 'other');
                break;
            case 'say':
                $c->send("$m $room " . json_encode($c->state));
        }
    },
    close: fn (Connection $c) => print("{$c->params['room']} closed\n"));
$loop = new Loopback($server);
$a = $loop->connect('/rooms/a', subprotocols: ['a']);
$b = $loop->connect('/rooms/b', subprotocols: ['b']);
$say = function (string $m) use ($a, $b): void {
    foreach ([$a, $b, $b, $a] as $client) {
        $client->send($m);
        echo json_encode($client->receive()), ' ';
    }
    echo "\n";
};
array_map($say, ['glance', 'look', 'glance', 'look', 'say']);
$a->send('state');
$b->send('unset');
array_map($say, ['say', 'look']);
$b->send('weak');
$a->send('glance');
$a->receive();
$b->send('weakly');
echo $b->receive(), "\n";
$a->send('glance');
$a->close(1000);
$b->send('glance');
echo json_encode($b->receive()), "\n";
$c = $loop->connect('/rooms/a', subprotocols: ['a']);
$c->send('say');
echo $c->receive(), "\n";
$b->close(1000);
unset($ids['a']);
$c->send('look');
echo $c->receive(), "\n";
unset($loop, $server);
?>
--EXPECT--
"a" "b" "b" "a" 
"null" "null" "null" "null" 
"a" "b" "b" "a" 
"null" "null" "null" "null" 
"say a null" "say b null" "say b null" "say a null" 
"say a \"a\"" "say b null" "say b null" "say a \"a\"" 
"string" "null" "null" "string" 
same
a closed
"b"
say a null
b closed
null
