--TEST--
fallback() answers paths that no route knows and files that no folder has; a known path with another method is 405 still
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Http\{Client, Request, Response};
use Tusk\Server;

$folder = sys_get_temp_dir() . '/tusk-fallback-' . getmypid();
mkdir($folder);
file_put_contents("$folder/a.txt", "a file\n");
$server = new Server('127.0.0.1:0');
$server->get('/known/{id}', fn (Request $r) => Response::text("known {$r->params['id']}\n"));
$server->websocket('/ws', message: fn () => null);
$server->files('/static', $folder);
$server->fallback(fn (Request $r) => Response::json(['no' => $r->method . ' ' . $r->path, 'body' => $r->body, 'params' => $r->params], 404));
try {
    $server->fallback(fn () => Response::text(''));
} catch (LogicException $e) {
    echo $e->getMessage(), "\n";
}
$server->onStart(function () use ($server): void {
    $client = new Client();
    $ask = function (string $method, string $path, string $body = '') use ($client, $server): void {
        $answer = $client->request($method, "http://127.0.0.1:$server->port$path", [], $body);
        echo rtrim("$method $path: $answer->status $answer->body"), "\n";
    };
    $ask('GET', '/known/7');
    $ask('GET', '/unknown?a=b');
    $ask('POST', '/unknown', 'a body');
    $ask('DELETE', '/a/b/c');
    $ask('HEAD', '/unknown');
    $ask('OPTIONS', '/unknown');
    $ask('PUT', '/known/7');
    $ask('GET', '/ws');
    $ask('GET', '/static/a.txt');
    $ask('GET', '/static/b.txt');
    $ask('GET', '/static/.env');
    $ask('POST', '/static/b.txt', 'x');
    $raw = function (string $request) use ($server): string {
        $stream = stream_socket_client("tcp://127.0.0.1:$server->port");
        fwrite($stream, $request);
        stream_set_blocking($stream, false);
        for ($all = ''; !feof($stream); $all .= fread($stream, 10000)) {
            Tusk\Wait::readable($stream, 5.0);
        }
        return rtrim(strtok($all, "\r\n") . ' ' . trim(substr($all, strpos($all, "\r\n\r\n"))));
    };
    echo $raw("OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), "\n";
    echo $raw("GET /none HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"), "\n";
    echo $raw("POST /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"), "\n";
    $server->stop();
});
$server->run();
unlink("$folder/a.txt");
rmdir($folder);
?>
--EXPECT--
There is a fallback already
GET /known/7: 200 known 7
GET /unknown?a=b: 404 {"no":"GET /unknown","body":"","params":[]}
POST /unknown: 404 {"no":"POST /unknown","body":"a body","params":[]}
DELETE /a/b/c: 404 {"no":"DELETE /a/b/c","body":"","params":[]}
HEAD /unknown: 404
OPTIONS /unknown: 404 {"no":"OPTIONS /unknown","body":"","params":[]}
PUT /known/7: 405 method not allowed
GET /ws: 426 this is a WebSocket
GET /static/a.txt: 200 a file
GET /static/b.txt: 404 {"no":"GET /static/b.txt","body":"","params":[]}
GET /static/.env: 404 {"no":"GET /static/.env","body":"","params":[]}
POST /static/b.txt: 405 method not allowed
HTTP/1.1 204 No Content
HTTP/1.1 404 Not Found {"no":"GET /none","body":"","params":[]}
HTTP/1.1 404 Not Found {"no":"POST /slow","body":"abc","params":[]}
