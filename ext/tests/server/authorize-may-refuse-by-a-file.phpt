--TEST--
authorize of a WebSocket or an event stream may refuse by any Response: bytes, a file, a stream, also after a wait and by onError
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\{Server, Timer};

$page = tempnam(sys_get_temp_dir(), 'tusk');
file_put_contents($page, "a page\n");
$refusals = [
    'bytes' => fn () => Response::text("a page\n"),
    'file' => fn () => Response::file($page, 'text/plain'),
    'stream' => fn () => Response::stream(["a page\n"], 'text/plain', length: 7),
    'late' => function () use ($page) {
        Timer::sleep(0.001);
        return Response::file($page, 'text/plain');
    },
    'thrown' => fn () => throw new RuntimeException(),
    'gone' => function () use ($page) {
        copy($page, "$page.gone");
        $answer = Response::file("$page.gone");
        unlink("$page.gone");
        return $answer;
    },
];
$server = new Server('127.0.0.1:0');
$server->onError(fn () => Response::file($page, 'text/plain'));
foreach ($refusals as $name => $authorize) {
    $server->websocket("/ws/$name", authorize: $authorize);
    $server->events("/events/$name", fn () => print("opened\n"), authorize: $authorize);
}
talk($server, function (int $port) use ($server, $refusals): void {
    $upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    foreach (array_keys($refusals) as $name) {
        foreach (['ws' => $upgrade, 'events' => ''] as $kind => $fields) {
            $answer = http($port, "GET /$kind/$name HTTP/1.1\r\nHost: h\r\n$fields\r\n"); // until the end, which follows a refusal
            echo "$name $kind ", substr($answer, 9, 3), ' ', json_encode(explode("\r\n\r\n", $answer)[1]), "\n";
        }
    }
    echo $server->stats()['handshakes_refused'], " refused\n";
});
unlink($page);
?>
--EXPECT--
bytes ws 200 "a page\n"
bytes events 200 "a page\n"
file ws 200 "a page\n"
file events 200 "a page\n"
stream ws 200 "a page\n"
stream events 200 "a page\n"
late ws 200 "a page\n"
late events 200 "a page\n"
thrown ws 200 "a page\n"
thrown events 200 "a page\n"
gone ws 404 "404 Not Found\n"
gone events 404 "404 Not Found\n"
12 refused
