--TEST--
An iterator that is kept and not asked holds its connection back; stop() does not wait for it for ever
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server};
use Tusk\WebSocket\Connection;

$kept = [];
$server = new Server('127.0.0.1:0', limits: new Limits(drainMs: 50));
$server->websocket('/', open: function (Connection $c) use (&$kept): void {
    $messages = $kept[] = $c->getIterator();
    foreach ($messages as $data) {
        $c->send("$data came");
        break;
    }
}, close: fn () => print("closed\n"));
talk($server, function (int $port): void {
    $peers = [Peer::open($port), Peer::open($port)];
    foreach ($peers as $i => $peer) {
        $peer->send("message $i");
        $peer->send('not asked for');
        echo $peer->text(), "\n";
    }
    fclose($peers[0]->stream);
});
foreach ($kept as $messages) {
    $messages->next();
    var_dump($messages->valid());
}
?>
--EXPECT--
message 0 came
message 1 came
closed
closed
bool(false)
bool(false)
