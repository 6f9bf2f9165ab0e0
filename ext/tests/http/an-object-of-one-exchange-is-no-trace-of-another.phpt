--TEST--
Requests and answers that a handler keeps, knows weakly, looked into or left waiting are never those of another exchange
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Timer};
use Tusk\Http\{Request, Response};

$server = new Server('127.0.0.1:0');
$kept = [];
$weak = [];
$map = new WeakMap();
$server->get('/keep/{n}', function (Request $r) use (&$kept) {
    $kept[] = $r;
    return Response::text('');
});
$server->get('/weak/{n}', function (Request $r) use (&$weak, $map) {
    $weak[] = WeakReference::create($r);
    $map[$r] = $r->params['n'];
    return Response::text('');
});
$server->get('/look/{n}', function (Request $r) {
    return Response::json([count((array) $r), $r->params, $r->headers['x-n'] ?? null, $r->remoteAddress, $r->query('q'), isset($r->headers['x-m'])]);
});
$server->get('/wait/{n}', function (Request $r) {
    Timer::sleep(0.02);
    return Response::json([$r->params['n'], $r->header('x-n'), $r->path]);
});
$server->get('/plain', fn (Request $r) => Response::text($r->header('x-n') ?? 'none'));
$answer = Response::text('the same');
$server->get('/same', fn () => $answer);
$server->get('/status', fn () => Response::text('created', 201)->withHeader('X-A', 'b'));
$server->post('/form', fn (Request $r) => Response::json([$r->form('a'), $r->form('b'), count($r->files())]));
$server->get('/bug', fn () => throw new LogicException('a bug'));
ini_set('error_log', '/dev/null');
talk($server, function (int $port) use (&$kept, &$weak, $map): void {
    $request = fn (string $path, string $more = '') => "GET $path HTTP/1.1\r\nHost: h\r\nConnection: close\r\n$more\r\n";
    $body = fn (string $answer) => substr($answer, strpos($answer, "\r\n\r\n") + 4) . "\n";
    foreach ([1, 2, 3] as $n) {
        http($port, $request("/keep/$n", "X-N: $n\r\n"));
        http($port, $request("/weak/$n"));
    }
    echo json_encode(array_map(fn (Request $r) => [$r->params['n'], $r->headers['x-n'], $r->path], $kept)), "\n";
    echo json_encode([array_map(fn (WeakReference $r) => $r->get(), $weak), count($map)]), "\n";
    echo $body(http($port, $request('/look/1?q=1', "X-N: 1\r\nX-M: 1\r\n"))), $body(http($port, $request('/look/2')));
    $peers = [];
    foreach ([1, 2, 3] as $n) {
        $peers[$n] = new Peer($port);
        $peers[$n]->write($request("/wait/$n", "X-N: $n\r\n"));
    }
    echo $body(http($port, $request('/plain', "X-N: between\r\n")));
    foreach ($peers as $peer) {
        echo $body($peer->readAll());
    }
    echo $body(http($port, $request('/plain'))), $body(http($port, $request('/same'))), $body(http($port, $request('/status')));
    // A form is of its own request, and a request without one has none, whoever posted before.
    $post = fn (string $type, string $form) => $body(http($port, "POST /form HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: $type\r\nContent-Length: " . strlen($form) . "\r\n\r\n$form"));
    $pairs = 'application/x-www-form-urlencoded';
    $file = "--X\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n1\r\n--X--";
    echo $post($pairs, 'a=alice&b=secret'), $post($pairs, 'a=bob'), $post('multipart/form-data; boundary=X', $file), $post('text/plain', 'a=1'), $post($pairs, '');
    echo strtok(http($port, $request('/bug')), "\r"), "\n", $body(http($port, $request('/same'))), $body(http($port, $request('/plain', "X-N: last\r\n")));
});
?>
--EXPECT--
[["1","1","\/keep\/1"],["2","2","\/keep\/2"],["3","3","\/keep\/3"]]
[[null,null,null],0]
[8,{"n":"1"},"1","127.0.0.1","1",true]
[8,{"n":"2"},null,"127.0.0.1",null,false]
between
["1","1","/wait/1"]
["2","2","/wait/2"]
["3","3","/wait/3"]
none
the same
created
["alice","secret",0]
["bob",null,0]
[null,null,1]
[null,null,0]
[null,null,0]
HTTP/1.1 500 Internal Server Error
the same
last
