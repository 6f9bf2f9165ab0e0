--TEST--
A chunk that waits for its reader is sent as it was given, though its variable, its place in an object or its generator has another one meanwhile
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\Http\Response;

const SIZE = 1 << 20;
$full = str_repeat('-', 16 * SIZE); // more than the sockets take
$server = new Server('127.0.0.1:0', limits: new Limits(queuedBytes: 262144));
$change = null;
$server->get('/variable', function () use (&$change, $full): Response {
    $text = str_repeat(chr(97), SIZE);
    $change = function () use (&$text): void { $text = ''; };
    return Response::stream([$full, &$text, '+']);
});
$server->get('/object', function () use (&$change, $full): Response {
    $texts = new ArrayObject([$full, str_repeat(chr(97), SIZE), '+']);
    $change = function () use ($texts): void { $texts[1] = ''; };
    return Response::stream($texts);
});
$server->get('/generator', function () use (&$change, $full): Response {
    $texts = (function () use ($full) {
        yield $full;
        yield str_repeat(chr(97), SIZE);
        yield 'passed over';
        yield '+';
    })();
    $change = fn () => $texts->next();
    return Response::stream($texts);
});
talk($server, function (int $port) use (&$change, $full, $server): void {
    foreach (['variable', 'object', 'generator'] as $path) {
        $peer = new Peer($port);
        $peer->write("GET /$path HTTP/1.0\r\n\r\n");
        while (strlen($peer->in) < 1000 && $peer->fill()); // the first chunk is on its way, and not its head alone
        until(fn () => $server->stats()['parked_handlers'] === 1, 'the second one to wait');
        $change();
        $other = str_repeat('o', SIZE); // lies where the former one did
        $parts = []; // one string that grows by each of them is copied as often, under a checker at least
        do {
            $parts[] = $peer->in;
            $peer->in = '';
        } while ($peer->fill());
        $body = substr(strstr(implode('', $parts), "\r\n\r\n"), 4);
        echo $path, ': ', strlen($body), ' bytes, ', $body === $full . str_repeat('a', SIZE) . '+' ? "as given\n" : "another one\n";
    }
});
?>
--EXPECT--
variable: 17825793 bytes, as given
object: 17825793 bytes, as given
generator: 17825793 bytes, as given
