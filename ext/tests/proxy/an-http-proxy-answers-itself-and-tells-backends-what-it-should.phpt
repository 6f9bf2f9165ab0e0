--TEST--
An HTTP proxy answers with the resolver's own response or status, says another Host, and tells of clients as it was told to
--EXTENSIONS--
tusk
--FILE--
<?php
require __DIR__ . '/proxy.inc';
use Tusk\Http\{Client, Response};
use Tusk\Proxy\{Access, Forward, Forwarding, Http, Lookup, Refused, Route, Tcp};

$backend = Backend::ofHeads();
$asked = new Asked(fn (Lookup $l): Route => match ($l->path) {
    '/moved' => Route::respond(Response::redirect('https://shop.example/new', 308)->withAddedHeader('X-Why', 'new shop'), ['page' => 'moved']),
    '/soon' => Route::respond(Response::text("soon\n", 503)->withHeader('Retry-After', '30'), ttl: 0),
    '/nothing' => Route::respond(new Response(204, 'left out')),
    '/later' => Route::respond((new Response(426))->withHeader('Upgrade', 'chat/2')),
    '/who' => Route::respond(new Response(401)),
    '/in' => Route::to($backend->address(), host: 'inside.example:8080'),
    '/' => Route::to($backend->address()),
    default => throw new Refused((int) substr($l->path, 1), 'as you wish'),
});

echo "-- answers of their own\n";
$proxy = new Http($asked, '127.0.0.1:0', validation: local());
$seen = [];
$proxy->onAccess(function (Access $access) use (&$seen): void {
    $seen[] = [$access->status, $access->end, $access->target, $access->metadata];
});
through($proxy, function (int $port) use ($proxy, $asked): void {
    $peer = new Peer($port); // one connection for all of them
    foreach (['/moved', '/soon', '/moved', '/soon', '/nothing', '/later', '/who'] as $path) {
        $peer->write("GET $path HTTP/1.1\r\nHost: a\r\n\r\n");
        $head = preg_replace('~Date: .*\r\n~', '', $peer->readHead());
        preg_match('~Content-Length: (\d+)~', $head, $m);
        echo json_encode($head . $peer->readBody((int) ($m[1] ?? 0)), JSON_UNESCAPED_SLASHES), "\n";
    }
    echo 'asked ', $asked->times, ', direct ', $proxy->stats()['http_direct'], ', dialled ', $proxy->stats()['dials'], "\n";
});
foreach ($seen as $one) {
    echo json_encode($one), "\n";
}

echo "-- every status\n";
through(new Http($asked, '127.0.0.1:0', validation: local()), function (int $port): void {
    $good = 0;
    $client = new Client();
    for ($status = 400; $status <= 599; $status++) {
        $answer = $client->get("http://127.0.0.1:$port/$status");
        $good += $answer->status === $status && preg_match("~^$status( [A-Z][\w' -]+)?: as you wish\n$~D", $answer->body) === 1 ? 1 : 0;
    }
    echo $good, "\n";
});

echo "-- what backends are told\n";
foreach ([
    ['/in', null, []],
    ['/', new Forwarding(Forward::Off, Forward::Off, Forward::Off), []],
    ['/', null, ['127.0.0.0/8']],
    ['/', new Forwarding(Forward::Off, Forward::Off, Forward::Off), ['127.0.0.0/8']],
    ['/', new Forwarding(Forward::Set, Forward::Set, Forward::Set, 'edge'), ['127.0.0.0/8']],
] as [$path, $forwarding, $trusted]) {
    through(new Http($asked, '127.0.0.1:0', validation: local(), trustedProxies: $trusted, forwarding: $forwarding), function (int $port) use ($path): void {
        $peer = new Peer($port);
        $peer->write("GET $path HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1\r\nForwarded: for=2.2.2.2\r\nVia: 1.0 before\r\n\r\n");
        $head = $peer->readHead();
        preg_match('~Content-Length: (\d+)~', $head, $m);
        echo json_encode($peer->readBody((int) $m[1])), ' ', implode(' + ', preg_match_all('~^Via: (.*)\r$~m', $head, $n) ? $n[1] : []), "\n";
    });
}

echo "-- not in a TCP proxy\n";
echo logged(function () use ($asked): void {
    through(new Tcp(new Asked(fn (): Route => Route::respond(Response::text('x'))), '127.0.0.1:0', validation: local()), function (int $port): void {
        echo json_encode(ask(new Peer($port), 'hello')), "\n";
    });
});
?>
--EXPECT--
-- answers of their own
"HTTP/1.1 308 Permanent Redirect\r\nLocation: https://shop.example/new\r\nX-Why: new shop\r\nContent-Length: 0\r\n\r\n"
"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 30\r\nContent-Length: 5\r\n\r\nsoon\n"
"HTTP/1.1 308 Permanent Redirect\r\nLocation: https://shop.example/new\r\nX-Why: new shop\r\nContent-Length: 0\r\n\r\n"
"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 30\r\nContent-Length: 5\r\n\r\nsoon\n"
"HTTP/1.1 204 No Content\r\n\r\n"
"HTTP/1.1 426 Upgrade Required\r\nUpgrade: chat/2\r\nContent-Length: 0\r\nConnection: upgrade\r\n\r\n"
"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Application\r\nContent-Length: 0\r\n\r\n"
asked 6, direct 7, dialled 0
[308,"direct",null,{"page":"moved"}]
[503,"direct",null,[]]
[308,"direct",null,{"page":"moved"}]
[503,"direct",null,[]]
[204,"direct",null,[]]
[426,"direct",null,[]]
[401,"direct",null,[]]
-- every status
200
-- what backends are told
"GET \/in HTTP\/1.1\r\nHost: inside.example:8080\r\nVia: 1.0 before\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: a\r\nForwarded: for=127.0.0.1;host=\"a\";proto=http\r\nVia: 1.1 tusk\r\n\r\n" 1.0 inner + 1.1 tusk
"GET \/ HTTP\/1.1\r\nHost: a\r\nVia: 1.0 before\r\n\r\n" 1.0 inner
"GET \/ HTTP\/1.1\r\nHost: a\r\nVia: 1.0 before\r\nX-Forwarded-For: 1.1.1.1, 127.0.0.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: a\r\nForwarded: for=2.2.2.2, for=127.0.0.1;host=\"a\";proto=http\r\nVia: 1.1 tusk\r\n\r\n" 1.0 inner + 1.1 tusk
"GET \/ HTTP\/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1\r\nForwarded: for=2.2.2.2\r\nVia: 1.0 before\r\n\r\n" 1.0 inner
"GET \/ HTTP\/1.1\r\nHost: a\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: a\r\nForwarded: for=127.0.0.1;host=\"a\";proto=http\r\nVia: 1.1 edge\r\n\r\n" 1.1 edge
-- not in a TCP proxy
""
Tusk: the route that Asked::resolve() gave cannot be used: only an HTTP proxy answers with a Response
