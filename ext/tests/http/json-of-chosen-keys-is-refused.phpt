--TEST--
json() refuses keys that were chosen to fall into one place of a hash table, and takes any number of others
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Http\{Request, Response};

/** Keys of one hash: "Ez" and "FY" have the same in PHP's. */
function chosen(int $count): array
{
    $keys = [];
    for ($i = 0; $i < $count; $i++) {
        $keys[] = strtr(sprintf('%016b', $i), ['0' => 'Ez', '1' => 'FY']);
    }
    return $keys;
}
// By hand: an array of such keys would take as long as it takes an attacked server.
$object = fn (array $keys): string => '{"a":{' . implode(',', array_map(fn (int|string $key): string => "\"$key\":[1]", $keys)) . '}}';
$bodies = [
    'strings' => $object(chosen(1000)),
    'numbers' => $object(array_map(fn (int $i): int => $i << 16, range(1, 1000))),
    'many and long' => $object(chosen(50000)),
    'some' => $object(chosen(100)),
    'in order' => $object(range(0, 50000)),
    'of every kind' => $object(array_map(fn (int $i): string => md5("$i"), range(1, 50000))),
    'twice' => '{"a":1,"a":2,"":3,"0":4,"-0":5,"01":6}',
    'wrong' => '{"a":{"b":1',
    'no UTF-8' => "{\"a\":\"\xFF\"}",
    'deep' => str_repeat('[', 1000) . str_repeat(']', 1000),
    'nothing' => '',
    'scalar' => '7',
];
$server = new Server('127.0.0.1:0');
$server->post('/{what}', function (Request $r) use ($bodies): Response {
    try {
        return Response::text($r->json() === json_decode($bodies[$r->params['what']], true) ? 'as json_decode() has it' : 'something else');
    } catch (JsonException $e) {
        return Response::text("{$e->getCode()} {$e->getMessage()}");
    }
});
$lines = [];
$server->onStart(function (Server $s) use ($bodies, &$lines): void {
    foreach ($bodies as $what => $body) {
        $peer = new Peer($s->port);
        $peer->write('POST /' . rawurlencode($what) . " HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: " . strlen($body) . "\r\n\r\n$body");
        $lines[] = "$what: " . explode("\r\n\r\n", $peer->readAll(), 2)[1];
    }
    $s->stop();
});
$server->run();
echo implode("\n", $lines), "\n";
?>
--EXPECT--
strings: 9 Too many of an object's keys fall into one place of a hash table
numbers: 9 Too many of an object's keys fall into one place of a hash table
many and long: 9 Too many of an object's keys fall into one place of a hash table
some: as json_decode() has it
in order: as json_decode() has it
of every kind: as json_decode() has it
twice: as json_decode() has it
wrong: 4 Syntax error
no UTF-8: 5 Malformed UTF-8 characters, possibly incorrectly encoded
deep: 1 Maximum stack depth exceeded
nothing: 4 Syntax error
scalar: as json_decode() has it
