--TEST--
An answer that names an Upgrade lists it in Connection (RFC 9110, 7.8): of a string, of pieces, of a file, of a folder, of a refused handshake
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Http\{Request, Response};
use Tusk\WebSocket\Connection;

$server = new Server('127.0.0.1:0');
$fields = ['uPgrade' => ['other/1', 'another/2']];
$server->get('/text', fn () => new Response(426, 'x', $fields));
$server->get('/ok', fn () => new Response(200, 'x', $fields));
$server->get('/stream', fn () => Response::stream(['x'], null, 426)->withHeader('Upgrade', 'other/1'));
$server->get('/file', fn () => Response::file(__FILE__)->withHeader('Upgrade', 'other/1'));
$server->get('/none', fn () => new Response(200, 'x', ['Upgrade' => [], 'Connection' => 'upgrade']));
$server->files('/folder', __DIR__, headers: $fields);
$server->websocket('/ws', message: fn (Connection $c) => null, authorize: fn () => new Response(426, '', $fields));
$upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
talk($server, function (int $port) use ($upgrade): void {
    foreach (['/text' => '', '/ok' => '', '/stream' => '', '/file' => '', '/folder/' . basename(__FILE__) => '', '/ws' => $upgrade, '/none' => ''] as $path => $more) {
        $more = $more === '' ? "Connection: close\r\n" : $more;
        $head = strstr(http($port, "GET $path HTTP/1.1\r\nHost: h\r\n$more\r\n"), "\r\n\r\n", true);
        preg_match_all('~^(?:upgrade|connection): (.*?)\r?$~mi', $head, $m);
        echo strtok($path, '.'), ': ', implode(' | ', $m[1]), "\n";
    }
});
?>
--EXPECT--
/text: other/1 | another/2 | upgrade | close
/ok: other/1 | another/2 | upgrade | close
/stream: other/1 | upgrade | close
/file: other/1 | upgrade | close
/folder/an-upgrade-that-an-answer-names-has-its-option: other/1 | another/2 | upgrade | close
/ws: other/1 | another/2 | upgrade | close
/none: close
