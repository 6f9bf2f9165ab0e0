--TEST--
A handler's 401, 405, 407 and 426 get the field that RFC 9110 has with them, where the handler gives none and the server knows it
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Http\{Request, Response};
use Tusk\{Server, Timer};
use Tusk\Testing\Loopback;
use Tusk\WebSocket\Connection;

$says = static function (Request $r): Response {
    if ($r->query('wait') !== null) {
        Timer::sleep(0.001);
    }
    $answer = $r->query('pieces') !== null ? Response::stream(['no'], status: (int) $r->query('says')) : new Response((int) ($r->query('says') ?? 200), 'no');
    return $r->query('own') !== null ? $answer
        ->withHeader('www-authenticate', 'Basic')->withHeader('ALLOW', 'PUT')->withHeader('upgrade', 'h3')->withHeader('Proxy-Authenticate', 'Basic') : $answer;
};
$server = new Server();
$server->get('/', $says);
$server->post('/', $says);
$server->get('/users/me', $says);
$server->put('/users/{name}', $says);
$server->get('/ws', $says);
$server->websocket('/ws', fn (Connection $c) => null, authorize: fn (Request $r) => $says($r));
$server->options('/asked', $says);
$server->get('/file', fn () => Response::file(__FILE__)->withStatus(405));
$server->fallback($says, methods: true);
$loopback = new Loopback($server);
$fields = ['www-authenticate', 'allow', 'proxy-authenticate', 'upgrade', 'connection'];
foreach (['GET /', 'HEAD /', 'POST /', 'DELETE /', 'GET /users/me', 'PUT /users/you', 'GET /nowhere', 'GET /ws', 'OPTIONS /asked'] as $asked) {
    foreach (['says=405', 'says=405&wait=1'] as $query) {
        [$method, $target] = explode(' ', $asked);
        $answer = $loopback->request($method, "$target?$query");
        echo "$asked?$query: $answer->status ", json_encode($answer->header('allow')), "\n";
    }
}
foreach (['/?says=401', '/?says=407', '/?says=426', '/ws?says=426', '/ws?says=426&wait=1', '/?says=401&pieces=1', '/?says=405&pieces=1', '/?says=401&own=1', '/?says=405&own=1',
    '/?says=407&own=1', '/ws?says=426&own=1', '/?says=403', '/?says=200', '/file', '/nowhere?says=401'] as $target) {
    $answer = $loopback->request('GET', $target);
    echo "$target: $answer->status";
    foreach ($fields as $name) {
        echo $answer->header($name) === null ? '' : " $name: {$answer->header($name)}";
    }
    echo "\n";
}
?>
--EXPECT--
GET /?says=405: 405 "POST, OPTIONS"
GET /?says=405&wait=1: 405 "POST, OPTIONS"
HEAD /?says=405: 405 "POST, OPTIONS"
HEAD /?says=405&wait=1: 405 "POST, OPTIONS"
POST /?says=405: 405 "GET, HEAD, OPTIONS"
POST /?says=405&wait=1: 405 "GET, HEAD, OPTIONS"
DELETE /?says=405: 405 "GET, HEAD, POST, OPTIONS"
DELETE /?says=405&wait=1: 405 null
GET /users/me?says=405: 405 "PUT, OPTIONS"
GET /users/me?says=405&wait=1: 405 "PUT, OPTIONS"
PUT /users/you?says=405: 405 "OPTIONS"
PUT /users/you?says=405&wait=1: 405 "OPTIONS"
GET /nowhere?says=405: 405 null
GET /nowhere?says=405&wait=1: 405 null
GET /ws?says=405: 405 "GET, HEAD, OPTIONS"
GET /ws?says=405&wait=1: 405 "GET, HEAD, OPTIONS"
OPTIONS /asked?says=405: 405 ""
OPTIONS /asked?says=405&wait=1: 405 ""
/?says=401: 401 www-authenticate: Application connection: close
/?says=407: 407 proxy-authenticate: Application connection: close
/?says=426: 426 connection: close
/ws?says=426: 426 upgrade: websocket connection: upgrade, close
/ws?says=426&wait=1: 426 upgrade: websocket connection: upgrade, close
/?says=401&pieces=1: 401 www-authenticate: Application connection: close
/?says=405&pieces=1: 405 allow: POST, OPTIONS connection: close
/?says=401&own=1: 401 www-authenticate: Basic allow: PUT proxy-authenticate: Basic upgrade: h3 connection: upgrade, close
/?says=405&own=1: 405 www-authenticate: Basic allow: PUT proxy-authenticate: Basic upgrade: h3 connection: upgrade, close
/?says=407&own=1: 407 www-authenticate: Basic allow: PUT proxy-authenticate: Basic upgrade: h3 connection: upgrade, close
/ws?says=426&own=1: 426 www-authenticate: Basic allow: PUT proxy-authenticate: Basic upgrade: h3 connection: upgrade, close
/?says=403: 403 connection: close
/?says=200: 200 connection: close
/file: 405 allow: OPTIONS connection: close
/nowhere?says=401: 401 www-authenticate: Application connection: close
