--TEST--
A stream that throws keeps no earlier answer back, says what it gave, and resets where only the connection's end would end it (HTTP/1.0)
--EXTENSIONS--
tusk
sockets
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\{Server, Timer, Wait};

$broken = fn (float $pause) => fn () => Response::stream((function () use ($pause) {
    yield 'half';
    if ($pause > 0.0) {
        Timer::sleep($pause);
    }
    throw new RuntimeException('in the middle');
})());
$server = new Server('127.0.0.1:0');
$server->onError(fn () => null);
$server->get('/now', $broken(0.0));
$server->get('/later', $broken(0.01));
$server->get('/whole', fn () => Response::text('whole'));
talk($server, function (int $port): void {
    $ask = function (string $request) use ($port): void {
        $socket = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
        socket_connect($socket, '127.0.0.1', $port);
        socket_write($socket, $request);
        for ($all = ''; Wait::readable($socket, 20 * slow()) && ($bytes = @socket_read($socket, 65536)) !== '' && $bytes !== false;) {
            $all .= $bytes;
        }
        $bodies = array_map(fn ($answer) => json_encode(preg_replace('~.*\r\n\r\n~sU', '', $answer, 1)), array_slice(explode('HTTP/1.1 200', $all), 1));
        echo implode(' ', $bodies), socket_last_error($socket) === SOCKET_ECONNRESET ? " reset\n" : " end\n";
    };
    foreach (['/now', '/later'] as $path) {
        $ask("GET $path HTTP/1.0\r\n\r\n");
        $ask("GET $path HTTP/1.1\r\nHost: h\r\n\r\n");
        $ask("GET /whole HTTP/1.1\r\nHost: h\r\n\r\nGET $path HTTP/1.1\r\nHost: h\r\n\r\nGET /whole HTTP/1.1\r\nHost: h\r\n\r\n");
    }
    $ask("GET /whole HTTP/1.0\r\n\r\n");
});
?>
--EXPECT--
"half" reset
"4\r\nhalf\r\n" end
"whole" "4\r\nhalf\r\n" end
"half" reset
"4\r\nhalf\r\n" end
"whole" "4\r\nhalf\r\n" end
"whole" end
