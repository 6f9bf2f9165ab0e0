--TEST--
The general server as it is shown: rooms over WebSocket and event streams, a POST that tells its position, files and a clock, on one port with TLS
--SKIPIF--
<?php if (!is_executable('/usr/bin/openssl')) die('skip the openssl command is needed'); ob_start(); phpinfo(INFO_MODULES); if (preg_match('/^TLS => not built in/m', ob_get_clean())) die('skip built without OpenSSL'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\{Server, Limits, Overflow, Tls, Timer};
use Tusk\Http\{Request, Response};
use Tusk\WebSocket\{Connection, MessageType};
use Tusk\Sse\EventStream;

$dir = __DIR__ . '/general.tmp';
@mkdir("$dir/public", 0777, true);
exec("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout $dir/key.pem -out $dir/cert.pem 2>/dev/null");
file_put_contents("$dir/public/index.html", 'a page');
function user_of(?string $session): ?string
{
    return $session === 'secret' ? 'ann' : null;
}

$server = new Server(listen: '127.0.0.1:0', tls: new Tls("$dir/cert.pem", "$dir/key.pem"), limits: new Limits(perAddress: 50));

$server->websocket('/rooms/{room}',
    authorize: fn (Request $r) => user_of($r->cookie('session')),               // null = 401, a Response = that, anything else = identity
    open: fn (Connection $c) => $c->subscribe("room.{$c->params['room']}", since: $c->query('since')),
    message: fn (Connection $c, string $data, MessageType $type) => $c->publish("room.{$c->params['room']}", $data),
);
$server->events('/rooms/{room}/events', fn (EventStream $s) => $s->subscribe("room.{$s->params['room']}", since: $s->lastEventId));
$server->post('/rooms/{room}', fn (Request $r): Response => Response::json(['position' => $server->publish("room.{$r->params['room']}", $r->body)]));
$server->files('/', "$dir/public");                                        // ETag, ranges, types, precompressed files
$clock = Timer::repeat(0.1, fn () => $server->publish('clock', date('c')));                // names as in Revolt

talk($server, function (int $port) use ($server, $dir, $clock): void {
    $ca = "$dir/cert.pem";
    $http = new Tusk\Http\Client(ca: $ca);
    try {
        new Tusk\WebSocket\Client("wss://127.0.0.1:$port/rooms/tea", timeout: 60, ca: $ca);
    } catch (Tusk\Exception $e) {
        echo str_contains($e->getMessage(), '401') ? "nobody: 401\n" : $e->getMessage();
    }
    $member = fn (string $query = '') => new Tusk\WebSocket\Client("wss://127.0.0.1:$port/rooms/tea$query", headers: ['Cookie' => 'session=secret'], timeout: 60, ca: $ca);
    [$ann, $bob] = [$member(), $member()];
    $posted = $http->post("https://127.0.0.1:$port/rooms/tea", 'first')->json()['position'];
    echo $ann->receive(60), ' ', $bob->receive(60), ' ', (string) new Tusk\Position($posted) === $posted ? 'at a position' : $posted, "\n";
    $ann->send('second');
    echo $bob->receive(60), ' ', $ann->receive(0.05) ?? 'not to its sender', "\n";
    $late = $member("?since=$posted");
    echo $late->receive(60), " for who was away\n";
    $page = $http->get("https://127.0.0.1:$port/");
    echo $page->body, ' ', $page->header('content-type'), ' ', $page->header('etag') !== null ? 'with an ETag' : '', "\n";
    $events = new Tusk\Sse\Client("https://127.0.0.1:$port/rooms/tea/events", lastEventId: $posted, ca: $ca);
    echo $events->receive(60)?->data, " on a stream\n";
    until(fn () => $server->position() > new Tusk\Position($posted));
    foreach ([$ann, $bob, $late, $events] as $each) {
        $each->close();
    }
    attempt(fn () => new Tusk\Sse\Client("https://127.0.0.1:$port/rooms/tea/events", ca: "$dir/none.pem"));
    $stranger = new Tusk\Sse\Client("https://127.0.0.1:$port/rooms/tea/events"); // whom nobody vouches for
    var_dump($stranger->receive(0.2), $stranger->state() !== Tusk\Sse\Client::OPEN);
    $stranger->close();
    $trusting = new Tusk\Sse\Client("https://127.0.0.1:$port/rooms/tea/events", lastEventId: $posted, verify: false);
    echo $trusting->receive(60)?->data, " whoever it is\n";
    $trusting->close();
    Timer::cancel($clock);
});
unlink("$dir/public/index.html");
rmdir("$dir/public");
array_map(unlink(...), glob("$dir/*"));
rmdir($dir);
?>
--EXPECTF--
nobody: 401
first first at a position
second not to its sender
second for who was away
a page text/html; charset=utf-8 with an ETag
second on a stream
ValueError: Tusk\Sse\Client::__construct(): Argument #6 ($ca) is of no use: %s
NULL
bool(true)
second whoever it is
