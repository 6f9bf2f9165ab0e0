--TEST--
foreach ($connection as $data) gives the messages, the fiber waits between them
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Timer;
use Tusk\WebSocket\{Connection, Server};

$server = new Server();
$server->listen('127.0.0.1', 0);
$server->onOpen(function (Connection $c) {
    $n = 0;
    foreach ($c as $type => $data) {
        if (str_ends_with($data, 'sleep')) {
            Timer::sleep(0.02);
        }
        $c->send("$type->name $data " . ++$n);
        if (str_ends_with($data, 'break')) {
            break;
        }
    }
    $GLOBALS['ended'][] = $c->isOpen() ? 'open' : 'closed';
    if ($c->isOpen()) {
        foreach ($c as $data) {
            $c->send("again $data");
        }
    }
});
$server->onClose(fn () => print("closed\n"));
talk($server, function (int $port) use ($server): void {
    $a = Peer::open($port);
    $b = Peer::open($port);
    foreach (['one', 'sleep', 'two', 'break', 'three'] as $m) {
        $a->send($m);
        $b->send("b $m");
    }
    for ($i = 0; $i < 5; $i++) {
        echo $a->text(), ' | ', $b->text(), "\n";
    }
    $a->goodbye();
    $b->goodbye();
    until(fn () => $server->stats()['websockets_open'] === 0 && $server->stats()['parked_handlers'] <= 1);
    echo implode(' ', $GLOBALS['ended']), "\n";
});
?>
--EXPECT--
Text one 1 | Text b one 1
Text sleep 2 | Text b sleep 2
Text two 3 | Text b two 3
Text break 4 | Text b break 4
again three | again b three
closed
closed
open open
