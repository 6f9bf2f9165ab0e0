--TEST--
The log of an exception that nobody caught begins with the request's method and path, at once and after a wait, of authorize too, without the query and a long path's rest; of a message and a timer it does not
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\{Request, Response};

$log = tempnam(sys_get_temp_dir(), 'tusk');
ini_set('error_log', $log);
$server = new Server('127.0.0.1:0');
$server->get('/{a}/{b}', fn (Request $r) => throw new DomainException(strtr($r->params['b'], ["\nTusk: uncaught" => '(a line, and more)'])));
$server->post('/later', function (Request $r): Response {
    Timer::sleep(0.001);
    throw new DomainException("posted $r->body");
});
$server->websocket('/ws', authorize: fn (Request $r) => throw new DomainException('of authorize'));
$server->websocket('/open', open: function (): void { throw new DomainException('of open'); });
$server->get('/timer', function () : Response { Timer::delay(0, fn () => throw new DomainException('of a timer')); return Response::text('x'); });
$upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
talk($server, function (int $port) use ($upgrade): void {
    http($port, "GET /orders/%0ATusk:%20uncaught?token=secret HTTP/1.0\r\n\r\n");
    http($port, "POST /later HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi");
    http($port, "HEAD /" . str_repeat('long', 60) . "/x HTTP/1.0\r\n\r\n");
    foreach (['/ws?token=secret', '/open'] as $path) {
        http($port, "GET $path HTTP/1.1\r\nHost: a\r\n$upgrade\r\n\x88\x80\0\0\0\0");
    }
    http($port, "GET /timer HTTP/1.0\r\n\r\n");
});
preg_match_all('/Tusk: (.*?uncaught \S+ .*?) in /', file_get_contents($log), $told);
echo preg_replace_callback('/(?:long)+(?:l|lo|lon)?\.{3}/', fn (array $m): string => strlen($m[0]) . ' bytes', implode("\n", $told[1])), "\n", str_contains(file_get_contents($log), 'secret') ? 'with' : 'without', " the query\n";
unlink($log);
?>
--EXPECT--
GET /orders/%0ATusk:%20uncaught: uncaught DomainException: (a line, and more)
POST /later: uncaught DomainException: posted hi
HEAD /202 bytes: uncaught DomainException: x
GET /ws: uncaught DomainException: of authorize
uncaught DomainException: of open
uncaught DomainException: of a timer
without the query
