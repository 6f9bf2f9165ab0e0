--TEST--
A Response that onError returns is the answer to the request whose handler or authorize threw; anything else leaves the plain 500
--EXTENSIONS--
tusk
--FILE--
<?php
use Tusk\Http\{Client, Request, Response};
use Tusk\{Server, Timer};

$server = new Server('127.0.0.1:0');
$server->post('/json', fn (Request $r) => Response::json($r->json()));
$server->get('/late/{id}', function (Request $r): Response {
    Timer::sleep(0.01);
    throw new DomainException('late');
});
$server->get('/plain', fn () => throw new LengthException('plain'));
$server->events('/events', fn () => null, authorize: fn () => throw new DomainException('who'));
$server->websocket('/ws', open: fn () => throw new DomainException('opened'));
$server->onError(function (Throwable $e, ?Request $r) {
    echo '[', $e::class, ' ', $r === null ? 'no request' : "$r->method $r->path " . json_encode($r->params), '] ';
    return match (true) {
        $e instanceof JsonException => Response::json(['error' => 'no JSON'], 400),
        $e instanceof DomainException => Response::html("<p>{$e->getMessage()}", 503)->withHeader('Retry-After', '1'),
        default => 'anything',
    };
});
$server->onStart(function () use ($server): void {
    $client = new Client();
    foreach ([['POST', '/json', '{"a":1}'], ['POST', '/json', '{'], ['GET', '/late/7'], ['GET', '/plain'], ['GET', '/events'], ['GET', '/json']] as $one) {
        $answer = $client->request($one[0], "http://127.0.0.1:$server->port$one[1]", [], $one[2] ?? "");
        echo "$answer->status ", $answer->header('retry-after'), ' ', trim($answer->body), "\n";
    }
    $socket = new Tusk\WebSocket\Client("ws://127.0.0.1:$server->port/ws");
    try {
        $socket->receive(5.0);
    } catch (Throwable) {
    }
    echo "closed\n";
    $server->stop();
});
$server->run();
?>
--EXPECT--
200  {"a":1}
[Tusk\Http\InvalidJson POST /json []] 
400  {"error":"no JSON"}
[DomainException GET /late/7 {"id":"7"}] 
503 1 <p>late
[LengthException GET /plain []] 
500  500 Internal Server Error
[DomainException GET /events []] 
503 1 <p>who
405  method not allowed
[DomainException no request] 
closed
