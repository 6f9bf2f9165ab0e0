--TEST--
header(), setcookie(), session_start() and their like in a handler are said in the log, once each, with what does it; outside of handlers, and where they only ask, nothing is said
--SKIPIF--
<?php extension_loaded('session') || print 'skip without session'; ?>
--INI--
output_buffering=0
session.save_path=
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;
use Tusk\Http\{Request, Response};

ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
header('X-Outside: 1');
http_response_code(200);
file_exists('php://input');

$server = new Server('127.0.0.1:0');
$server->get('/asks', fn () => Response::text(json_encode([http_response_code(), headers_list() === [], session_id()])));
$server->get('/header', function () { header('X-A: b'); header('Location: /'); return Response::text('header'); });
$server->get('/status', function () { http_response_code(404); return Response::text('status'); });
$server->get('/cookie', function () {
    setcookie('a', 'b');
    setrawcookie('a', 'b');
    return Response::text('cookie');
});
$server->get('/named', function () { session_id('abc'); session_start(); session_write_close(); session_id(''); return Response::text('named'); });
$server->get('/session', function () { session_status() === PHP_SESSION_ACTIVE || session_start(); return Response::text('session'); });
$server->post('/input', fn () => Response::text('input ' . strlen(file_get_contents('php://input')) . json_encode(move_uploaded_file('/nowhere', '/nowhere'))));
$server->websocket('/ws', function ($c, string $m): void { header('X-A: b'); $c->send($m); });
$seen = ''; // printed later: PHP warns once there was output
talk($server, function (int $port) use (&$seen): void {
    foreach (['/asks', '/header', '/header', '/status', '/cookie', '/named', '/session', '/session'] as $path) {
        $answer = http($port, "GET $path HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        $seen .= substr($answer, 9, 3) . ' ' . substr(strstr($answer, "\r\n\r\n"), 4) . "\n";
    }
    foreach ([1, 2] as $i) {
        $seen .= substr(strstr(http($port, "POST /input HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 5\r\n\r\nabcde"), "\r\n\r\n"), 4) . "\n";
    }
    $peer = Peer::open($port, '/ws');
    $peer->send('ws');
    $seen .= $peer->text() . "\n";
    $peer->goodbye();
});
echo $seen, preg_replace(['/^\[.*?\] /m', '/^(?!Tusk:).*\n/m', '/^.* held the loop .*\n/m', '~: /\S+/~'], ['', '', '', ': '], file_get_contents($log));
unlink($log);
?>
--EXPECT--
200 [200,true,""]
200 header
200 header
200 status
200 cookie
200 named
200 session
200 session
input 0false
input 0false
ws
Tusk: header() in a handler reaches no client, $response->withHeader('Name', 'value') does: functions-for-web-servers-are-said-to-do-nothing-once.php:13
Tusk: http_response_code() in a handler reaches no client, new Response($status) does: functions-for-web-servers-are-said-to-do-nothing-once.php:14
Tusk: setcookie() in a handler reaches no client, $response->withCookie('name', 'value') does: functions-for-web-servers-are-said-to-do-nothing-once.php:16
Tusk: setrawcookie() in a handler reaches no client, $response->withCookie('name', 'value') does: functions-for-web-servers-are-said-to-do-nothing-once.php:17
Tusk: session_start() in a handler begins one session for all clients of this process, whoever they are: keep your own by $request->cookie('name') and $response->withCookie('name', 'value'): functions-for-web-servers-are-said-to-do-nothing-once.php:21
Tusk: php://input is empty in a handler, $request->body is what came: functions-for-web-servers-are-said-to-do-nothing-once.php:22
Tusk: move_uploaded_file() in a handler knows no upload, $request->file('name') does: functions-for-web-servers-are-said-to-do-nothing-once.php:22
