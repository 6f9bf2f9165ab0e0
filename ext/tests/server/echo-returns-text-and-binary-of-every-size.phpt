--TEST--
An echo server returns text and binary of every size
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, MessageType, Server};

$server = new Server(['maxMessageSize' => 1 << 20]);
$server->listen('127.0.0.1', 0);
$server->onMessage(fn (Connection $c, string $m, MessageType $t) => $c->send($m, $t));
talk($server, function (int $port): void {
    $peer = Peer::open($port);
    foreach ([0, 1, 125, 126, 127, 4095, 4096, 65535, 65536, 300000, 1 << 20] as $size) {
        foreach ([MessageType::Text, MessageType::Binary] as $type) {
            $message = substr(str_repeat('abcdefghij', intdiv($size, 10) + 1), 0, $size);
            $peer->send($message, $type);
            $frame = $peer->receive();
            if ($frame->payload !== $message || $frame->type !== $type || !$frame->final) {
                echo "size $size is not right\n";
            }
        }
    }
    $peer->send("\u{1F600} ü");
    echo $peer->text(), "\n";
    $peer->goodbye();
});
?>
done
--EXPECT--
😀 ü
done
