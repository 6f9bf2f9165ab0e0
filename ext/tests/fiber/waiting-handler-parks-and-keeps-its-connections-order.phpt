--TEST--
A waiting handler parks: other connections go on, its own messages wait in order
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Timer;
use Tusk\WebSocket\{Connection, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$released = false;
$server->onMessage(function (Connection $c, string $m) use (&$released) {
    if (str_starts_with($m, 'sleep')) {
        until(function () use (&$released) { return $released; });
        Timer::sleep(0.01);
    }
    $c->send($m);
});
talk($server, function (int $port) use ($server, &$released): void {
    $a = Peer::open($port);
    $b = Peer::open($port);
    foreach (['sleep1', 'two', 'sleep3', 'four'] as $m) {
        $a->send($m);
    }
    $b->send('quick');
    echo $b->text(), "\n";
    var_dump($server->stats()['parked_handlers'] >= 1);
    $released = true;
    for ($i = 0; $i < 4; $i++) {
        echo $a->text(), "\n";
    }
    $many = [];
    for ($i = 0; $i < 50; $i++) {
        $many[$i] = Peer::open($port);
        $many[$i]->send("sleep$i");
    }
    $sum = 0;
    foreach ($many as $i => $peer) {
        $sum += (int) ($peer->text() === "sleep$i");
    }
    echo $sum, "\n";
});
?>
--EXPECT--
quick
bool(true)
sleep1
two
sleep3
four
50
