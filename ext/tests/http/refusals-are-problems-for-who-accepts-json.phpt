--TEST--
What the server refuses, and a handler that fails, is told as problem details (RFC 9457) to who accepts JSON before text, and in words to everybody else
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Limits, Server, Timer};
use Tusk\Http\{Request, Response};
use Tusk\WebSocket\Connection;

$server = new Server('127.0.0.1:0', limits: new Limits(bodyBytes: 1000, formParts: 2));
$server->onError(fn () => null);
$server->post('/form', fn (Request $r) => Response::text('read'));
$server->get('/throws', fn () => throw new RuntimeException('x'));
$server->get('/waits', function () { Timer::sleep(0.001); throw new RuntimeException('x'); });
$server->websocket('/ws', open: fn (Connection $c) => null, authorize: fn () => null, origins: ['https://a.example']);
$form = "Content-Type: application/x-www-form-urlencoded\r\n";
$asked = [
    '404' => "GET /nothing HTTP/1.1\r\nHost: h\r\n",
    '405' => "GET /form HTTP/1.1\r\nHost: h\r\n",
    '413 by its length' => "POST /form HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n",
    '413 in chunks' => "POST /form HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n",
    '413 of a form' => "POST /form HTTP/1.1\r\nHost: h\r\n{$form}Content-Length: 11\r\n",
    '426' => "GET /ws HTTP/1.1\r\nHost: h\r\n",
    '403' => "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: https://b.example\r\n",
    '401' => "GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",
    '500' => "GET /throws HTTP/1.1\r\nHost: h\r\n",
    '500 after a wait' => "GET /waits HTTP/1.1\r\nHost: h\r\n",
];
$bodies = ['413 in chunks' => "3e9\r\n", '413 of a form' => 'a=1&b=2&c=3'];
talk($server, function (int $port) use ($asked, $bodies): void {
    foreach ($asked as $name => $head) {
        echo "$name\n";
        foreach (['', "Accept: application/json\r\n", "Accept: text/html, application/json\r\n"] as $accept) {
            [$fields, $body] = explode("\r\n\r\n", http($port, "$head{$accept}Connection: close\r\n\r\n" . ($bodies[$name] ?? '')), 2) + ['', ''];
            preg_match('~^Content-Type: (\S+?);?(?: .*)?\r?$~m', $fields, $type);
            echo '  ', $type[1] ?? '-', str_contains($fields, "\r\nVary: Accept\r\n") || str_ends_with($fields, "\r\nVary: Accept") ? '' : ' without Vary', ' ', $body;
        }
    }
});
?>
--EXPECT--
404
  text/plain nothing here
  application/problem+json {"title":"Not Found","status":404,"detail":"nothing here"}
  text/plain nothing here
405
  text/plain method not allowed
  application/problem+json {"title":"Method Not Allowed","status":405,"detail":"method not allowed"}
  text/plain method not allowed
413 by its length
  text/plain the body has more than 1000 bytes
  application/problem+json {"title":"Content Too Large","status":413,"detail":"the body has more than 1000 bytes"}
  text/plain the body has more than 1000 bytes
413 in chunks
  text/plain the body has more than 1000 bytes
  application/problem+json {"title":"Content Too Large","status":413,"detail":"the body has more than 1000 bytes"}
  text/plain the body has more than 1000 bytes
413 of a form
  text/plain the form has more than 2 fields
  application/problem+json {"title":"Content Too Large","status":413,"detail":"the form has more than 2 fields"}
  text/plain the form has more than 2 fields
426
  text/plain this is a WebSocket
  application/problem+json {"title":"Upgrade Required","status":426,"detail":"this is a WebSocket"}
  text/plain this is a WebSocket
403
  text/plain origin not allowed
  application/problem+json {"title":"Forbidden","status":403,"detail":"origin not allowed"}
  text/plain origin not allowed
401
  text/plain 401 Unauthorized
  application/problem+json {"title":"Unauthorized","status":401}
  text/plain 401 Unauthorized
500
  text/plain 500 Internal Server Error
  application/problem+json {"title":"Internal Server Error","status":500}
  text/plain 500 Internal Server Error
500 after a wait
  text/plain 500 Internal Server Error
  application/problem+json {"title":"Internal Server Error","status":500}
  text/plain 500 Internal Server Error
