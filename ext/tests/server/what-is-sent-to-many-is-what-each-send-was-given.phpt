--TEST--
Sends to many in one callback: the same string, one that changes, ones that lie where another lay, other types
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Testing\Loopback;
use Tusk\WebSocket\{Connection, MessageType};

$server = new Server();
$all = [];
$server->websocket('/', open: function (Connection $c) use (&$all) {
    $all[] = $c;
}, message: function (Connection $c, string $m) use (&$all) {
    $size = (int) $m;
    foreach ($all as $each) { // the same
        $each->send($m);
    }
    $text = str_repeat('a', $size);
    foreach ($all as $each) { // changes in its place
        $each->send($text);
        $each->send($text);
        $text[0] = chr(ord($text[0]) + 1);
    }
    foreach ($all as $i => $each) { // each may lie where the last one lay
        $each->send(str_repeat((string) $i, $size));
    }
    foreach ($all as $each) { // text and binary
        $each->send($text);
        $each->send($text, MessageType::Binary);
        $each->send($text);
    }
});
$loop = new Loopback($server);
$clients = [];
for ($i = 0; $i < 4; $i++) {
    $clients[] = $loop->connect('/');
}
foreach ([1, 64, 125, 126, 300, 5000, 70000] as $size) {
    $clients[0]->send((string) $size);
    $text = str_repeat('a', $size);
    $last = chr(ord('a') + count($clients)) . substr($text, 1);
    foreach ($clients as $i => $client) {
        $own = chr(ord('a') + $i) . substr($text, 1);
        foreach ([(string) $size, $own, $own, str_repeat((string) $i, $size), $last, $last, $last] as $n => $wanted) {
            $got = $client->receive();
            if ($got !== $wanted) {
                echo "size $size, client $i, message $n: ", substr(var_export($got, true), 0, 40), "\n";
            }
        }
        if ($client->receive() !== null) {
            echo "size $size, client $i: more than that\n";
        }
    }
}
echo "done\n";
?>
--EXPECT--
done
