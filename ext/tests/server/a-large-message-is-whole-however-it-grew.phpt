--TEST--
A large message is whole however it grew: by what arrives, in fragments, and by being inflated
--SKIPIF--
<?php if (!function_exists('deflate_init')) die('skip no zlib in PHP'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, Deflate, MessageType, Protocol, Server};

define('SIZE', (slow() < 10 ? 20 : 5) << 20); // valgrind has the same ways at less
// no two of its pages are alike
$message = substr(str_repeat(random_bytes(65537), 320), 0, SIZE);
$server = new Server(['maxMessageSize' => SIZE]);
$server->deflate(new Deflate());
$server->listen('127.0.0.1', 0);
$server->onMessage(fn (Connection $c, string $m) => $c->send($m === $message ? 'the same' : 'another, of ' . strlen($m)));
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
    $peer->goodbye();
});
?>
done
--EXPECT--
the same
the same
the same
done
