--TEST--
A large message is whole however it grew: by what arrives, in fragments, and by being inflated; and what lies beside it is as it was
--SKIPIF--
<?php if (!function_exists('deflate_init')) die('skip no zlib in PHP'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Deflate, MessageType, Protocol, Server};

define('SIZE', (slow() < 10 ? 20 : 5) << 20); // valgrind has the same ways at less
// no two of its pages are alike
$message = substr(str_repeat(random_bytes(65537), 320), 0, SIZE);
// its pages are moved from between those of others
$beside = [];
for ($i = 0; $i < 40; $i++) {
    $beside[] = [$text = str_repeat(chr($i), random_int(4000, 500_000)), md5($text)];
}
for ($i = 0; $i < 40; $i += 2) {
    unset($beside[$i]);
}
unset($text);
$server = new Server(['maxMessageSize' => SIZE]);
$server->deflate(new Deflate());
$server->listen('127.0.0.1', 0);
$server->onMessage(fn (Connection $c, string $m) => $c->send($m === $message ? 'the same' : (str_starts_with($message, $m) ? 'its first ' : 'another, of ') . strlen($m)));
talk($server, function (int $port) use ($message): void {
    $frame = fn (string $payload, int $opcode, int $flags): string => Protocol::pack($payload, $opcode, $flags | Protocol::FLAG_MASK);
    $peer = Peer::open($port, headers: ['Sec-WebSocket-Extensions' => 'permessage-deflate']);
    $peer->send($message, MessageType::Binary);
    echo $peer->text(), "\n";
    foreach (str_split($message, intdiv(SIZE, 7) + 1) as $i => $part) {
        $peer->write($frame($part, $i === 0 ? Protocol::OPCODE_BINARY : Protocol::OPCODE_CONTINUATION, $i === 6 ? Protocol::FLAG_FIN : 0));
    }
    echo $peer->text(), "\n";
    $deflate = deflate_init(ZLIB_ENCODING_RAW, ['level' => 1]);
    $packed = substr(deflate_add($deflate, $message, ZLIB_SYNC_FLUSH), 0, -4);
    $peer->write($frame($packed, Protocol::OPCODE_BINARY, Protocol::FLAG_FIN | Protocol::FLAG_RSV1));
    echo $peer->text(), "\n";
    foreach ([200_000, 700_000, 1_500_000, 2_500_000, 4_900_000] as $length) {
        $packed = substr(deflate_add(deflate_init(ZLIB_ENCODING_RAW), substr($message, 0, $length), ZLIB_SYNC_FLUSH), 0, -4);
        $peer->write($frame($packed, Protocol::OPCODE_BINARY, Protocol::FLAG_FIN | Protocol::FLAG_RSV1));
        echo $peer->text(), "\n";
    }
    $peer->goodbye();
});
foreach ($beside as [$text, $sum]) {
    if (md5($text) !== $sum) {
        echo 'what lies beside it was changed, ', strlen($text), " bytes\n";
    }
}
?>
done
--EXPECT--
the same
the same
the same
its first 200000
its first 700000
its first 1500000
its first 2500000
its first 4900000
done
