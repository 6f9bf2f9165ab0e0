--TEST--
A large message is compressed where its beginning gets smaller by a third, whether it is sent or published, with the server's history or without; the others leave as they are
--EXTENSIONS--
tusk
--SKIPIF--
<?php if (!function_exists('deflate_init')) die('skip no zlib in PHP'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\WebSocket\{Connection, Deflate};

$rows = json_encode(array_map(fn (int $i): array => ['id' => $i, 'name' => "person $i", 'here' => $i % 3 === 0], range(1, 20_000)));
$image = base64_encode(random_bytes(700_000));
$kinds = ['rows' => $rows, 'image' => $image];
$server = new Server('127.0.0.1:0');
foreach (['/without' => new Deflate(), '/with' => new Deflate(serverContextTakeover: true)] as $path => $deflate) {
    $server->websocket($path, open: fn (Connection $c) => $c->subscribe($path), deflate: $deflate,
        message: function (Connection $c, string $what) use ($server, $kinds, $path): void {
            [$how, $kind, $size] = explode(' ', $what);
            $text = substr($kinds[$kind], 0, (int) $size);
            $how === 'send' ? $c->send($text) : $server->publish($path, $text);
        });
}
/** @return array{bool, string} whether it is compressed, and its payload */
$message = static function (Peer $peer): array {
    [$first, $length] = array_values(unpack('C2', $peer->readBody(2)));
    $length = match ($length) {
        126 => unpack('n', $peer->readBody(2))[1],
        127 => unpack('J', $peer->readBody(8))[1],
        default => $length,
    };
    return [($first & 0x40) !== 0, $peer->readBody($length)];
};
talk($server, function (int $port) use ($kinds, $message): void {
    foreach (['/without', '/with'] as $path) {
        $peer = Peer::open($port, $path, ['Sec-WebSocket-Extensions' => 'permessage-deflate']);
        $inflate = inflate_init(ZLIB_ENCODING_RAW);
        foreach (['send', 'publish'] as $how) {
            foreach ([60_000, 70_000, 900_000] as $size) {
                foreach (['rows', 'image'] as $kind) {
                    $peer->send("$how $kind $size");
                    [$packed, $payload] = $message($peer);
                    $text = $packed ? inflate_add($inflate, "$payload\0\0\xff\xff", ZLIB_SYNC_FLUSH) : $payload;
                    echo "$path, $how, $kind of $size: ", $packed ? 'compressed' : 'as it is', $text === substr($kinds[$kind], 0, $size) ? '' : ', another text', "\n";
                }
            }
        }
        $peer->goodbye();
    }
});
?>
--EXPECT--
/without, send, rows of 60000: compressed
/without, send, image of 60000: compressed
/without, send, rows of 70000: compressed
/without, send, image of 70000: as it is
/without, send, rows of 900000: compressed
/without, send, image of 900000: as it is
/without, publish, rows of 60000: compressed
/without, publish, image of 60000: compressed
/without, publish, rows of 70000: compressed
/without, publish, image of 70000: as it is
/without, publish, rows of 900000: compressed
/without, publish, image of 900000: as it is
/with, send, rows of 60000: compressed
/with, send, image of 60000: compressed
/with, send, rows of 70000: compressed
/with, send, image of 70000: as it is
/with, send, rows of 900000: compressed
/with, send, image of 900000: as it is
/with, publish, rows of 60000: as it is
/with, publish, image of 60000: as it is
/with, publish, rows of 70000: as it is
/with, publish, image of 70000: as it is
/with, publish, rows of 900000: as it is
/with, publish, image of 900000: as it is
