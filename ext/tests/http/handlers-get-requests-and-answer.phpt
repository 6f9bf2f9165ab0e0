--TEST--
HTTP handlers see method, path, params, query, cookies, form and JSON, and answer with responses of every kind
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Http\{Request, Response};

file_put_contents($file = __DIR__ . '/handlers.tmp.txt', 'file body');
$server = new Server('127.0.0.1:0');
$server->onError(fn (Throwable $e) => print('onError ' . $e->getMessage() . "\n"));
$server->get('/show/{name}/{rest*}', function (Request $r) {
    return Response::json([$r->method, $r->target, $r->path, $r->params, $r->query('q'), $r->queryAll(), $r->cookie('sid'),
        $r->header('X-Multi'), $r->headers['host'], $r->remoteAddress, $r->secure, $r->cookie('none'), $r->query('none')]);
});
$server->post('/form', fn (Request $r) => Response::text(var_export([$r->form('a'), $r->form('b'), $r->form('c')], true)));
$server->put('/json', fn (Request $r) => Response::json($r->json(), 202));
$server->patch('/keep', function (Request $r) use (&$kept) { $kept = $r; return Response::html('<p>'); });
$server->delete('/x', fn () => new Response(204));
$server->get('/redirect', fn () => Response::redirect('/there'));
$server->get('/file', fn () => Response::file($file));
$server->get('/cookies', fn () => new Response(200, 'c', ['Set-Cookie' => ['a=1', 'b=2'], 'Content-Length' => '999']));
$server->get('/bug', fn () => throw new LogicException('a bug'));
$server->get('/wrong', fn () => 'a string');
$server->get('/exit', fn () => exit(1));
ini_set('error_log', '/dev/null');
talk($server, function (int $port) use ($file, &$kept): void {
    $get = function (string $request, string $body = '') use ($port) {
        return http($port, "$request HTTP/1.1\r\nHost: h\r\nX-Multi: 1\r\nX-Multi: 2\r\nCookie: a=b; sid=\"s%20x\"\r\nConnection: close\r\n"
            . ($body !== '' ? 'Content-Length: ' . strlen($body) . "\r\nContent-Type: application/x-www-form-urlencoded\r\n" : '') . "\r\n$body");
    };
    $body = fn (string $answer) => substr($answer, strpos($answer, "\r\n\r\n") + 4);
    $line = fn (string $answer) => strtok($answer, "\r");
    echo $body($get('GET /show/b%C3%A4r/x/y%2Fz?q=1+2%21&x[]=3')), "\n";
    echo $body($get('POST /form', 'a=1&b=%C3%A4+b')), "\n";
    echo $line($get('PUT /json', '{"k":[1,2.0]}')), ' ', $body($get('PUT /json', '{"k":[1,2.0]}')), "\n";
    echo $line($get('PUT /json', '{broken')), "\n";
    echo $body($get('PATCH /keep')), ' ', $kept->headers['x-multi'], ' ', $kept->path, "\n";
    echo $line($get('DELETE /x')), "\n";
    echo preg_match('~303.*Location: /there\r~s', $get('GET /redirect')), $body($get('GET /file')), "\n";
    echo preg_match_all('/^Set-Cookie: \w=\d\r$/m', $answer = $get('GET /cookies')), preg_match('/Content-Length: 1\r/', $answer), "\n";
    foreach (['GET /bug', 'GET /wrong', 'GET /exit', 'GET /none', 'POST /redirect', 'HEAD /file'] as $r) {
        $status = $line($get($r));
        echo $r, ' ', $status, "\n";
    }
});
unlink($file);
?>
--EXPECT--
["GET","/show/b%C3%A4r/x/y%2Fz?q=1+2%21&x[]=3","/show/bär/x/y/z",{"name":"bär","rest":"x/y/z"},"1 2!",{"q":"1 2!","x[]":"3"},"s x","1, 2","h","127.0.0.1",false,null,null]
array (
  0 => '1',
  1 => 'ä b',
  2 => NULL,
)
HTTP/1.1 202 Accepted {"k":[1,2.0]}
onError Syntax error
HTTP/1.1 400 Bad Request
<p> 1, 2 /keep
HTTP/1.1 204 No Content
1file body
21
onError a bug
GET /bug HTTP/1.1 500 Internal Server Error
GET /wrong HTTP/1.1 500 Internal Server Error
GET /exit HTTP/1.1 500 Internal Server Error
GET /none HTTP/1.1 404 Not Found
POST /redirect HTTP/1.1 405 Method Not Allowed
HEAD /file HTTP/1.1 200 OK
