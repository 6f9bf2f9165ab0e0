--TEST--
options() answers in place of 204 with Allow, for one path or all, and makes no path known that is not
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Http\{Request, Response};
use Tusk\Server;
use Tusk\Testing\Loopback;

$server = new Server();
$server->get('/notes/{id}', fn () => Response::text('a note'));
$server->put('/notes/{id}', fn () => new Response(204));
$server->get('/plain', fn () => Response::text('plain'));
$server->options('/notes/{rest*}', fn (Request $r) => new Response(204, '', ['X-For' => "{$r->method} {$r->params['rest']}"]));
try {
    $server->options('/notes/{rest*}', fn () => new Response());
} catch (LogicException $e) {
    echo $e->getMessage(), "\n";
}
$server->fallback(fn (Request $r) => Response::text("fallback $r->method $r->path", 404));
$loopback = new Loopback($server);
foreach (['OPTIONS /notes/7', 'OPTIONS /notes/a/b', 'GET /notes/7', 'DELETE /notes/7', 'GET /notes/a/b', 'OPTIONS /plain', 'OPTIONS /none'] as $asked) {
    [$method, $target] = explode(' ', $asked);
    $answer = $loopback->request($method, $target);
    $fields = array_filter(['x-for' => $answer->header('x-for'), 'allow' => $answer->header('allow')]);
    echo "$asked: ", trim("$answer->status " . trim(implode(' ', array_map(fn (string $name) => "$name: $fields[$name]", array_keys($fields))) . " $answer->body")), "\n";
}
echo strtok($loopback->raw("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"), "\r"), "\n";
?>
--EXPECT--
There is an OPTIONS route for "/notes/{rest*}" already
OPTIONS /notes/7: 204 x-for: OPTIONS 7
OPTIONS /notes/a/b: 204 x-for: OPTIONS a/b
GET /notes/7: 200 a note
DELETE /notes/7: 405 allow: GET, HEAD, PUT, OPTIONS method not allowed
GET /notes/a/b: 404 fallback GET /notes/a/b
OPTIONS /plain: 204 allow: GET, HEAD, OPTIONS
OPTIONS /none: 404 fallback OPTIONS /none
HTTP/1.1 204 No Content
