--TEST--
fallback(methods: true) answers a known path with another method in place of 405, and allowed() has what Allow says
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
$server->post('/a%20b', fn () => new Response(204));
$server->options('/{rest*}', fn () => new Response(204));
$server->files('/static', __DIR__);
$server->fallback(function (Request $r) use ($server): Response {
    $allowed = $server->allowed($r);
    $answer = Response::json(['error' => $allowed === [] ? 'not found' : "no $r->method", 'body' => $r->body], $allowed === [] ? 404 : 405);
    return $allowed === [] ? $answer : $answer->withHeader('Allow', implode(', ', $allowed));
}, methods: true);
$loopback = new Loopback($server);
foreach (['GET /notes/7', 'DELETE /notes/7?x=/', 'POST /notes/7', 'GET /notes/a/b', 'GET /a%20b', 'POST /static/x.txt', 'OPTIONS /notes/7', 'BREW /notes/7'] as $asked) {
    [$method, $target] = explode(' ', $asked);
    $answer = $loopback->request($method, $target, body: $method === 'POST' ? 'posted' : '');
    echo trim("$asked: $answer->status {$answer->header('allow')} $answer->body"), "\n";
}
?>
--EXPECT--
GET /notes/7: 200  a note
DELETE /notes/7?x=/: 405 GET, HEAD, PUT, OPTIONS {"error":"no DELETE","body":""}
POST /notes/7: 405 GET, HEAD, PUT, OPTIONS {"error":"no POST","body":"posted"}
GET /notes/a/b: 404  {"error":"not found","body":""}
GET /a%20b: 405 POST, OPTIONS {"error":"no GET","body":""}
POST /static/x.txt: 405 GET, HEAD, OPTIONS {"error":"no POST","body":"posted"}
OPTIONS /notes/7: 204
BREW /notes/7: 405 GET, HEAD, PUT, OPTIONS {"error":"no BREW","body":""}
