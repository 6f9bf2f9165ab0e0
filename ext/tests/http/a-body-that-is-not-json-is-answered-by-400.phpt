--TEST--
A body that is not JSON is the client's fault: 400 in words or as problem details, nothing in the log; what else throws a JsonException stays a 500 that is logged
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\{InvalidJson, Request, Response};
use Tusk\Testing\Loopback;

ini_set('error_log', $log = tempnam(sys_get_temp_dir(), 'tusk'));
$logged = function () use ($log): string {
    $lines = preg_match_all('/uncaught (\S+):/', file_get_contents($log), $found);
    file_put_contents($log, '');
    return $lines === 0 ? 'nothing logged' : implode(' ', $found[1]) . ' logged';
};
$routes = function (Server $server): Server {
    $server->post('/json', fn (Request $r) => Response::json($r->json()));
    $server->post('/waits', function (Request $r) {
        Timer::sleep(0.001);
        return Response::json($r->json());
    });
    $server->post('/mine', fn () => throw new InvalidJson('a secret'));
    $server->post('/own', fn () => throw new JsonException('own'));
    $server->post('/encode', fn () => Response::json(NAN));
    $server->post('/caught', function (Request $r) {
        try {
            $r->json();
        } catch (JsonException $e) {
            return Response::text($e::class . " {$e->getCode()} {$e->getMessage()} in " . basename($e->getFile()), 422);
        }
    });
    $server->post('/wrapped', function (Request $r) {
        try {
            $r->json();
        } catch (InvalidJson $e) {
            throw new LogicException('mine', 0, $e);
        }
    });
    $server->events('/events', fn () => null, authorize: fn (Request $r) => $r->json());
    return $server;
};
$ask = function (int $port, string $line, string $body, string $accept = '') use ($logged): void {
    $fields = $accept === '' ? '' : "Accept: $accept\r\n";
    [$head, $text] = explode("\r\n\r\n", http($port, "$line HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{$fields}Content-Length: " . strlen($body) . "\r\n\r\n$body"), 2);
    echo "$line ", substr($head, 9, 3), ' ', trim($text), '; ', $logged(), "\n";
};
talk($routes(new Server('127.0.0.1:0')), function (int $port) use ($ask): void {
    $ask($port, 'POST /json', '{"a":[1]}');
    $ask($port, 'POST /json', '{"a":');
    $ask($port, 'POST /json', '', 'application/json');
    $ask($port, 'POST /waits', "\"\xFF\"", 'application/json');
    $ask($port, 'GET /events', '');
    $ask($port, 'POST /caught', '{');
    $ask($port, 'POST /wrapped', '{');
    $ask($port, 'POST /mine', '{');
    $ask($port, 'POST /own', '{');
    $ask($port, 'POST /encode', '{');
});
echo "onError is told first\n";
$server = $routes(new Server('127.0.0.1:0'));
$server->onError(function (Throwable $e, ?Request $r): ?Response {
    echo $e::class, ": {$e->getMessage()}\n";
    return match ($r?->body) {
        '[' => Response::text('its own', 422),
        ']' => throw new DomainException('onError itself'),
        default => null,
    };
});
talk($server, function (int $port) use ($ask): void {
    $ask($port, 'POST /json', '{');
    $ask($port, 'POST /json', '[');
    $ask($port, 'POST /json', ']');
    $ask($port, 'POST /own', '{');
});
echo "in a loopback\n";
$loop = new Loopback($routes(new Server()));
foreach (['/json', '/waits', '/own'] as $path) {
    $answer = $loop->request('POST', $path, ['Accept' => 'application/json'], '{');
    echo "$path $answer->status ", trim($answer->body), "; ", $logged(), "\n";
}
unlink($log);
?>
--EXPECT--
POST /json 200 {"a":[1]}; nothing logged
POST /json 400 the body cannot be read as JSON: Syntax error; nothing logged
POST /json 400 {"title":"Bad Request","status":400,"detail":"the body cannot be read as JSON: Syntax error"}; nothing logged
POST /waits 400 {"title":"Bad Request","status":400,"detail":"the body cannot be read as JSON: Malformed UTF-8 characters, possibly incorrectly encoded"}; nothing logged
GET /events 400 the body cannot be read as JSON: Syntax error; nothing logged
POST /caught 422 Tusk\Http\InvalidJson 4 Syntax error in a-body-that-is-not-json-is-answered-by-400.php; nothing logged
POST /wrapped 500 500 Internal Server Error; Tusk\Http\InvalidJson logged
POST /mine 400 400 Bad Request; nothing logged
POST /own 500 500 Internal Server Error; JsonException logged
POST /encode 500 500 Internal Server Error; JsonException logged
onError is told first
Tusk\Http\InvalidJson: Syntax error
POST /json 400 the body cannot be read as JSON: Syntax error; nothing logged
Tusk\Http\InvalidJson: Syntax error
POST /json 422 its own; nothing logged
Tusk\Http\InvalidJson: Syntax error
POST /json 400 the body cannot be read as JSON: Syntax error; DomainException logged
JsonException: own
POST /own 500 500 Internal Server Error; nothing logged
in a loopback
/json 400 {"title":"Bad Request","status":400,"detail":"the body cannot be read as JSON: Syntax error"}; nothing logged
/waits 400 {"title":"Bad Request","status":400,"detail":"the body cannot be read as JSON: Syntax error"}; nothing logged
/own 500 {"title":"Internal Server Error","status":500}; JsonException logged
