--TEST--
While user code holds a Connection every callback gets the same object; state keeps it, a weak map's entry too
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$held = [];
$map = new WeakMap();
$server->onOpen(function (Connection $c) use (&$held, $map) {
    $held[$c->id] = $c;
    $map[$c] = 'mapped';
});
$server->onMessage(function (Connection $c, string $m) use (&$held, $map) {
    switch ($m) {
        case 'same':
            $c->send(($held[$c->id] ?? null) === $c ? 'same' : 'other');
            break;
        case 'forget':
            unset($held[$c->id]);
            $c->send('forgotten');
            break;
        case 'map':
            $c->send($map[$c] ?? 'lost');
            break;
        case 'set':
            $c->state = new class { public int $n = 1; function __destruct() { echo "state freed\n"; } };
            $c->send('set');
            break;
        case 'get':
            $c->send((string) $c->state->n++);
            break;
    }
});
$server->onClose(function (Connection $c) { echo 'closing with state ', get_debug_type($c->state) === 'null' ? 'null' : 'set', "\n"; });
talk($server, function (int $port) use ($server, $map): void {
    $a = Peer::open($port);
    $b = Peer::open($port);
    foreach (['same', 'forget', 'map', 'set', 'get', 'get', 'get'] as $m) {
        $a->send($m);
        echo $a->text(), ' ';
        $b->send('map');
        $b->text();
        gc_collect_cycles();
    }
    echo "\n", count($map), "\n";
    $a->goodbye();
    until(fn () => $server->stats()['websockets_open'] === 1);
    echo count($map), "\n";
    $b->goodbye();
});
?>
--EXPECT--
same forgotten mapped set 1 2 3 
2
closing with state set
state freed
1
closing with state null
