--TEST--
Keep-Alive, TE and Proxy-Connection speak of the connection, which is the server's (RFC 9110, 7.6.1): of a string, of pieces, of a file, of a folder, of a refused handshake; and a client's are its own, too
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Http\{Client, Request, Response};
use Tusk\WebSocket\Connection;

$server = new Server('127.0.0.1:0');
$fields = ['keep-Alive' => ['timeout=99', 'max=1'], 'TE' => 'trailers', 'Proxy-Connection' => 'keep-alive', 'Tea' => 'green'];
$server->get('/text', fn () => new Response(404, 'x', $fields));
$server->get('/ok', fn () => new Response(200, 'x', $fields));
$server->get('/stream', fn () => Response::stream(['x'], null)->withHeader('Keep-Alive', 'timeout=99')->withHeader('Tea', 'green'));
$server->get('/file', fn () => Response::file(__FILE__)->withHeader('TE', 'trailers')->withHeader('Tea', 'green'));
$server->files('/folder', __DIR__, headers: $fields);
$server->get('/seen', fn (Request $r) => Response::json(array_keys($r->headers)));
$server->websocket('/ws', message: fn (Connection $c) => null, authorize: fn () => new Response(403, '', $fields));
$upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
talk($server, function (int $port) use ($upgrade, $fields): void {
    foreach (['/text' => '', '/ok' => '', '/stream' => '', '/file' => '', '/folder/' . basename(__FILE__) => '', '/ws' => $upgrade] as $path => $more) {
        $more = $more === '' ? "Connection: close\r\n" : $more;
        $head = strstr(http($port, "GET $path HTTP/1.1\r\nHost: h\r\n$more\r\n"), "\r\n\r\n", true);
        preg_match_all('~^(?:keep-alive|te|tea|proxy-connection|connection): (.*?)\r?$~mi', $head, $m);
        echo strtok($path, '.'), ': ', implode(' | ', $m[1]), "\n";
    }
    echo (new Client())->get("http://127.0.0.1:$port/seen", headers: $fields)->body, "\n";
});
?>
--EXPECT--
/text: green | close
/ok: green | close
/stream: green | close
/file: green | close
/folder/what-speaks-of-the-connection-is-the-servers: green | close
/ws: green | close
["host","tea","user-agent"]
