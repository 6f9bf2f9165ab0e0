--TEST--
Headers are written as their array is when the response is sent: kept, changed in between, changed through a reference, or one of many
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Http\{Request, Response};

final class Kept
{
    public const HEADERS = ['X-A' => 'constant', 'Content-Length' => '999', 'X-N' => 5];
}
$server = new Server('127.0.0.1:0');
$once = new Response(200, 'once', ['X-A' => 'once']);
$array = ['X-A' => 'first'];
$value = 'referenced';
$list = ['a=1'];
$server->get('/once', fn () => $once);
$server->get('/constant', fn () => new Response(200, '', Kept::HEADERS));
$server->get('/array', function () use (&$array) {
    $response = new Response(200, '', $array);
    $array['X-A'] .= '+';
    return $response;
});
$server->get('/reference', function () use (&$value) {
    static $headers;
    $headers ??= ['X-A' => &$value];
    return new Response(200, '', $headers);
});
$server->get('/list', function () use (&$list) {
    static $headers;
    $headers ??= ['X-A' => &$list];
    return new Response(200, '', $headers);
});
$many = array_map(fn (int $i) => ['X-A' => "many $i"], range(0, 19));
$server->get('/many/{i}', fn (Request $r) => new Response(200, '', $many[(int) $r->params['i']]));
$server->get('/with', fn () => $once->withHeader('X-A', 'changed')->withHeader('X-B', 'b'));
$server->get('/broken', function () use (&$value) {
    static $headers;
    $headers ??= ['X-A' => &$value];
    $response = new Response(200, '', $headers);
    $value = "a\r\nX-B: split";
    return $response;
});
ini_set('error_log', '/dev/null');
talk($server, function (int $port) use (&$value, &$list): void {
    $lines = function (string $path) use ($port): string {
        $answer = http($port, "GET $path HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        preg_match_all('/^(?:X-\w|Content-Length): .*$/mi', $answer, $found);
        return strtok($answer, "\r") . ' | ' . implode(' | ', array_map(trim(...), $found[0])) . "\n";
    };
    foreach (['/once', '/constant', '/array'] as $path) {
        echo $path, "\n", $lines($path), $lines($path), $lines($path);
    }
    echo $lines('/reference');
    $value = 'another';
    echo $lines('/reference'), $lines('/list');
    $list[] = 'b=2';
    echo $lines('/list');
    $fine = 0;
    for ($i = 0; $i < 60; $i++) {
        $fine += str_contains($lines('/many/' . $i % 20), 'X-A: many ' . $i % 20);
    }
    echo "$fine of 60\n", $lines('/with'), $lines('/once'), $lines('/broken'), $lines('/once');
});
?>
--EXPECT--
/once
HTTP/1.1 200 OK | Content-Length: 4 | X-A: once
HTTP/1.1 200 OK | Content-Length: 4 | X-A: once
HTTP/1.1 200 OK | Content-Length: 4 | X-A: once
/constant
HTTP/1.1 200 OK | Content-Length: 0 | X-A: constant | X-N: 5
HTTP/1.1 200 OK | Content-Length: 0 | X-A: constant | X-N: 5
HTTP/1.1 200 OK | Content-Length: 0 | X-A: constant | X-N: 5
/array
HTTP/1.1 200 OK | Content-Length: 0 | X-A: first
HTTP/1.1 200 OK | Content-Length: 0 | X-A: first+
HTTP/1.1 200 OK | Content-Length: 0 | X-A: first++
HTTP/1.1 200 OK | Content-Length: 0 | X-A: referenced
HTTP/1.1 200 OK | Content-Length: 0 | X-A: another
HTTP/1.1 200 OK | Content-Length: 0 | X-A: a=1
HTTP/1.1 200 OK | Content-Length: 0 | X-A: a=1 | X-A: b=2
60 of 60
HTTP/1.1 200 OK | Content-Length: 4 | X-A: changed | X-B: b
HTTP/1.1 200 OK | Content-Length: 4 | X-A: once
HTTP/1.1 500 Internal Server Error | Content-Length: 26
HTTP/1.1 200 OK | Content-Length: 4 | X-A: once
