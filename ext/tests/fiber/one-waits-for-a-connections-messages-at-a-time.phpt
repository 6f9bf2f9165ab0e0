--TEST--
Two cannot wait for the messages of one iterator: the second is told, the first goes on, and the server ends
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\WebSocket\Connection;

$server = new Server('127.0.0.1:0');
$server->websocket('/', open: function (Connection $c): void {
    $messages = $c->getIterator();
    Timer::defer(fn () => attempt(fn () => $messages->next()));
    foreach ($messages as $data) {
        $c->send("$data came");
    }
    echo "the end came\n";
});
talk($server, function (int $port) use ($server): void {
    $a = Peer::open($port);
    until(fn () => $server->stats()['parked_handlers'] >= 1);
    Timer::sleep(0); // what was deferred has had its turn
    $a->send('one');
    $a->send('two');
    echo $a->text(), "\n", $a->text(), "\n";
    $a->goodbye();
});
echo "over\n";
?>
--EXPECT--
LogicException: Somebody waits for this connection's messages already
one came
two came
the end came
over
