--TEST--
A streamed response waits for a slow reader in bounded memory; a failing generator cuts the connection
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\Http\Response;

$server = new Server('127.0.0.1:0', limits: new Limits(queuedBytes: 262144));
$server->onError(fn (Throwable $e) => print('onError ' . $e->getMessage() . "\n"));
$server->get('/big', fn () => Response::stream((function () use (&$made) {
    for ($i = 0; $i < 400; $i++) {
        $made = $i;
        yield str_repeat(chr(97 + $i % 26), 65536);
    }
})()));
$server->get('/fail', fn () => Response::stream((function () {
    yield 'begin';
    Timer::sleep(0.01);
    throw new RuntimeException('in the middle');
})()));
$server->get('/list', fn () => Response::stream(['a', '', 'b'], 'text/plain'));
talk($server, function (int $port) use (&$made, $server): void {
    $peer = new Peer($port);
    $peer->write("GET /big HTTP/1.0\r\n\r\n");
    Timer::sleep(0.1);
    var_dump($made < 399);
    $peer->readHead();
    for ($sum = 0, $more = true; $more;) {
        $sum += strlen($peer->in);
        $peer->in = '';
        $more = $peer->fill();
    }
    echo $sum, "\n";
    $gone = new Peer($port);
    $gone->write("GET /big HTTP/1.1\r\nHost: h\r\n\r\n");
    $gone->readHead();
    fclose($gone->stream);
    until(fn () => $server->stats()['parked_handlers'] <= 1, 'the writer to notice');
    $answer = http($port, "GET /fail HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    var_dump(str_contains($answer, "5\r\nbegin\r\n"), str_ends_with($answer, "0\r\n\r\n"));
    echo substr(strstr(http($port, "GET /list HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), "\r\n\r\n"), 4);
});
?>
--EXPECTF--
bool(true)
26214400
onError in the middle
bool(true)
bool(false)
1
a
1
b
0

