--TEST--
Answers that nobody reads, messages without an end and handlers that wait leave a part of memory_limit: the server goes on
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip pcntl is needed'); if (getenv('USE_ZEND_ALLOC') === '0') die('skip memory_limit needs the Zend allocator'); ?>
--INI--
log_errors=0
display_errors=0
memory_limit=32M
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Http\{Request, Response};
use Tusk\WebSocket\Connection;

[$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) {
    ini_set('error_log', '/dev/null');
    $server = new Tusk\Server('127.0.0.1:0');
    $server->onStart(fn () => fwrite($its, "$server->port\n"));
    $server->websocket('/', message: fn (Connection $c, string $m) => $c->send($m));
    $server->get('/big', fn () => Response::text(str_repeat('x', 5 << 20)));
    $server->get('/wait', function () {
        $mine = str_repeat('x', 256 << 10);
        Tusk\Timer::sleep(3600);
        return Response::text($mine);
    });
    $server->get('/work', function () use ($server) { // 1 MiB of its own
        $mine = str_repeat('x', 1 << 20);
        return Response::json(['took' => strlen($mine)] + $server->stats());
    });
    $server->run();
    exit(0);
}
$port = (int) fgets($mine);

function ask(string $path, bool $read = true): ?array
{
    global $port;
    $peer = new Peer($port);
    $peer->write("GET $path HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    if (!$read) {
        $GLOBALS['held'][] = $peer;
        return null;
    }
    while ($peer->fill()) {
    }
    return json_decode(explode("\r\n\r\n", $peer->in, 2)[1] ?? '', true);
}

for ($i = 0; $i < 20; $i++) {
    ask('/big', false);
}
$stats = ask('/work');
echo "stalled readers: $stats[took], ", $stats['queued_bytes'] > 40 << 20 ? 'their answers wait' : "$stats[queued_bytes] wait", "\n";
$held = [];

for ($i = 0; $i < 60; $i++) {
    $held[] = $peer = Peer::open($port);
    $peer->write("\x82\xff\0\0\0\0\0\x10\0\0\1\2\3\4");
    @fwrite($peer->stream, str_repeat('x', 512 << 10));
}
until(function () use (&$stats) {
    $stats = ask('/work');
    return $stats['out_of_memory'] > 0;
}, 'one too many');
echo "messages without an end: $stats[took]\n";
$held = [];

for ($i = 0; $i < 150; $i++) {
    ask('/wait', false);
}
$stats = ask('/work');
echo "handlers that wait: $stats[took], ", $stats['parked_handlers'] > 40 && $stats['parked_refused'] > 40 ? 'those that fit' : json_encode($stats), "\n";

posix_kill($pid, SIGKILL);
pcntl_waitpid($pid, $status);
?>
--EXPECT--
stalled readers: 1048576, their answers wait
messages without an end: 1048576
handlers that wait: 1048576, those that fit
