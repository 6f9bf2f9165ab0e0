--TEST--
A handler that returns no Response or calls exit() is named in the log by file and line; its client gets 500, and the server goes on
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Http\{Request, Response};

ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$server = new Server('127.0.0.1:0');
$server->get('/null', fn () => null);
$server->get('/text', fn (): string => 'no Response');
$server->get('/array', fn () => ['a' => 1]);
$server->get('/status', fn () => 404);
$server->get('/serializable', fn () => new class () implements JsonSerializable { public function jsonSerialize(): int { return 1; } });
$server->get('/chunks', fn () => new ArrayIterator(['a']));
$server->get('/stringable', fn () => new class () { public function __toString(): string { return 'a'; } });
$server->get('/other', fn () => new stdClass());
$server->get('/exit', function (): never {
    exit(3);
});
$server->get('/fine', fn (Request $r): Response => Response::json([$r->query('a'), $r->queryAll()]));
talk($server, function (int $port): void {
    foreach (['/null', '/text', '/array', '/status', '/serializable', '/chunks', '/stringable', '/other', '/exit', '/fine?a=1&b=2&a=3&c'] as $target) {
        $answer = http($port, "GET $target HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        echo substr($answer, 9, 3), ' ', substr(strstr($answer, "\r\n\r\n"), 4, 40), "\n";
    }
});
echo preg_replace(['/^\[.*?\] /m', '/^.* held the loop .*\n/m', '~: /\S+/~', '/@anonymous\S*/'], ['', '', ': ', ''], file_get_contents($log));
unlink($log);
?>
--EXPECT--
500 500 Internal Server Error

500 500 Internal Server Error

500 500 Internal Server Error

500 500 Internal Server Error

500 500 Internal Server Error

500 500 Internal Server Error

500 500 Internal Server Error

500 500 Internal Server Error

500 500 Internal Server Error

200 ["1",{"a":"1","b":"2","c":""}]
Tusk: an HTTP handler returned null in place of Tusk\Http\Response (is a return missing? what is echoed is no answer): what-a-handler-did-wrong-is-logged-with-its-place.php:8
Tusk: an HTTP handler returned string in place of Tusk\Http\Response (Response::text() or html() makes one): what-a-handler-did-wrong-is-logged-with-its-place.php:9
Tusk: an HTTP handler returned array in place of Tusk\Http\Response (Response::json() makes one): what-a-handler-did-wrong-is-logged-with-its-place.php:10
Tusk: an HTTP handler returned int in place of Tusk\Http\Response (new Response($status) makes one): what-a-handler-did-wrong-is-logged-with-its-place.php:11
Tusk: an HTTP handler returned JsonSerializable in place of Tusk\Http\Response (Response::json() makes one): what-a-handler-did-wrong-is-logged-with-its-place.php:12
Tusk: an HTTP handler returned ArrayIterator in place of Tusk\Http\Response (Response::stream() makes one): what-a-handler-did-wrong-is-logged-with-its-place.php:13
Tusk: an HTTP handler returned class in place of Tusk\Http\Response (Response::text() or html() makes one): what-a-handler-did-wrong-is-logged-with-its-place.php:14
Tusk: an HTTP handler returned stdClass in place of Tusk\Http\Response: what-a-handler-did-wrong-is-logged-with-its-place.php:15
Tusk: a handler called exit(): its request or connection fails, the server goes on. Write return (in HTTP of a Response) or throw; $server->stop() ends the server: what-a-handler-did-wrong-is-logged-with-its-place.php:16
