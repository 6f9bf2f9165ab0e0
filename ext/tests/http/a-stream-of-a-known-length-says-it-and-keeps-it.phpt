--TEST--
A streamed response with a length sends Content-Length, to HEAD too; chunks that are more or fewer cut the connection and onError hears of it
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\Response;
use Tusk\Server;

$server = new Server('127.0.0.1:0');
$server->onError(fn (Throwable $e) => print(get_class($e) . ": {$e->getMessage()}\n"));
$answers = [
    '/right' => fn () => Response::stream(['ab', '', 'cde'], 'text/plain', length: 5)->withHeader('X-Copied', 'yes'),
    '/none' => fn () => Response::stream([], 'text/plain', length: 0),
    '/more' => fn () => Response::stream(['abc', 'def'], 'text/plain', length: 5),
    '/less' => fn () => Response::stream(['ab', 'cd'], 'text/plain', length: 5),
    '/unknown' => fn () => Response::stream(['ab'], 'text/plain', length: null),
];
foreach ($answers as $path => $handler) {
    $server->get($path, $handler);
}
talk($server, function (int $port) use ($answers): void {
    foreach (array_keys($answers) as $path) {
        foreach (['GET', 'HEAD'] as $method) {
            if ($method === 'HEAD' && $path === '/more') {
                continue;
            }
            [$head, $body] = explode("\r\n\r\n", http($port, "$method $path HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), 2) + ['', ''];
            $framing = preg_match('~^(?:Content-Length|Transfer-Encoding): (.*)\r~m', $head, $m) === 1 ? $m[1] : 'cut';
            echo "$method $path $framing ", json_encode($body), "\n";
        }
    }
});
try {
    Response::stream([], length: -1);
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
GET /right 5 "abcde"
HEAD /right 5 ""
GET /none 0 ""
HEAD /none 0 ""
LogicException: The stream gives more than its length
GET /more 5 "abc"
LogicException: The stream gave less than its length
GET /less 5 "abcd"
HEAD /less 5 ""
GET /unknown chunked "2\r\nab\r\n0\r\n\r\n"
HEAD /unknown chunked ""
Tusk\Http\Response::stream(): Argument #4 ($length) must be at least 0, -1 given
