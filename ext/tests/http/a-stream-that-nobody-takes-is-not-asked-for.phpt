--TEST--
A streamed response to HEAD, and a 304, ask their chunks for nothing; a client that leaves a stream of a known length is nobody's fault
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\{Request, Response};
use Tusk\{Server, Timer};

$asked = 0;
$endless = function () use (&$asked): Generator {
    while ($asked < 10_000) { // without an end it would hold everybody up
        $asked++;
        yield 'x';
    }
};
$told = [];
$ended = 0;
$server = new Server('127.0.0.1:0');
$server->onError(function (Throwable $e) use (&$told): void { $told[] = $e->getMessage(); });
$server->get('/stream', fn () => Response::stream($endless()));
$server->get('/sized', fn () => Response::stream($endless(), length: 20_000));
$server->get('/unchanged', fn () => Response::stream($endless(), status: 304));
$long = function () use (&$ended): Generator {
    try {
        for ($i = 0; $i < 1000; $i++) {
            yield str_repeat('x', 100_000);
            Timer::sleep(0.001);
        }
    } finally {
        $ended++;
    }
};
$server->get('/left', fn () => Response::stream($long(), length: 100_000_000));
talk($server, function (int $port) use ($server, &$asked, &$ended, &$told): void {
    $peer = new Peer($port);
    foreach (['HEAD /stream', 'HEAD /sized', 'GET /unchanged', 'HEAD /stream'] as $line) {
        $peer->write("$line HTTP/1.1\r\nHost: h\r\n\r\n");
        echo "$line: ", strtok($peer->readHead(), "\r"), ", asked for $asked\n";
    }
    $peer = new Peer($port);
    $peer->write("GET /left HTTP/1.1\r\nHost: h\r\n\r\n");
    $peer->readHead();
    fclose($peer->stream);
    until(function () use (&$ended): bool { return $ended === 1; }, 'the stream to end');
    Timer::sleep(0); // what comes of its end is done
    echo count($told), " errors\n";
});
?>
--EXPECT--
HEAD /stream: HTTP/1.1 200 OK, asked for 0
HEAD /sized: HTTP/1.1 200 OK, asked for 0
GET /unchanged: HTTP/1.1 304 Not Modified, asked for 0
HEAD /stream: HTTP/1.1 200 OK, asked for 0
0 errors
