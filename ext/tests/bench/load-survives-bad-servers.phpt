--TEST--
Load: servers that refuse, are silent, send garbage, die or lie are counted by cause, and the run comes to its end
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
use Tusk\Bench\{EchoServer, Load};

/** A server in a process of its own that treats each connection as $handler does. */
function hostile(callable $handler): array
{
    $listener = stream_socket_server('tcp://127.0.0.1:0');
    $port = (int) substr(strrchr(stream_socket_get_name($listener, false), ':'), 1);
    $pid = pcntl_fork();
    if ($pid === 0) {
        $connections = [];
        while ($c = stream_socket_accept($listener, 60)) {
            $connections[] = $c;
            $handler($c);
        }
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($listener);
    return [$port, $pid];
}

function upgrade($c): void
{
    $head = '';
    while (!str_contains($head, "\r\n\r\n")) {
        $head .= fread($c, 8192);
    }
    preg_match('~Sec-WebSocket-Key: (\S+)~', $head, $m);
    fwrite($c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        . base64_encode(sha1("$m[1]258EAFA5-E914-47DA-95CA-C5AB0DC85B11", true)) . "\r\n\r\n");
}

/** Runs until every one of $wanted has been counted, and tells what was. */
function run(int $port, string ...$wanted): string
{
    $load = new Load('ws-echo', "ws://127.0.0.1:$port/", ['connections' => 2, 'duration' => '60s', 'warmup' => 0, 'timeout' => '200ms',
        'drain' => '1s', 'hiccup' => false]);
    $load->start();
    $seen = fn (): int => count(array_filter($wanted, fn (string $cause): bool => array_sum(array_intersect_key($load->counters(),
        array_flip(explode('|', $cause)))) > 0));
    while ($load->poll(0.05) && $seen() < count($wanted)) {
    }
    $load->stop();
    while ($load->poll(1)) {
    }
    $c = $load->counters();
    $other = array_keys(array_filter($c, fn ($n, $k) => $n > 0 && preg_match('~^(failed_|wrong|dupl|reord|open$|in_flight$)~', $k)
        && !preg_match("~\\b$k\\b~", implode('|', $wanted)), ARRAY_FILTER_USE_BOTH));
    // A close with unread bytes is a reset; whether they were read is the kernel's and the moment's business.
    return $load->phase() . ': ' . implode(' ', [...$wanted, ...$other]) . ' - '
        . preg_replace('~connection reset|the server closed it~', 'ended', $load->workers()[0]['error']);
}

[$port, $pid] = hostile(fn ($c) => 0);
posix_kill($pid, SIGKILL);
pcntl_waitpid($pid, $status);
echo 'nobody: ', run($port, 'failed_refused'), "\n";
$ended = 'failed_reset|failed_closed';
foreach ([
    'silent' => [['failed_timeout'], fn ($c) => 0],
    'closes' => [[$ended], fn ($c) => fclose($c)],
    'garbage' => [['failed_protocol'], fn ($c) => fwrite($c, str_repeat("\x00\xff", 500))],
    'refuses' => [['failed_status'], fn ($c) => fwrite($c, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")],
    'bad accept' => [['failed_protocol'],
        fn ($c) => fwrite($c, "HTTP/1.1 101 Hi\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: nonsense\r\n\r\n")],
    'no echo' => [['timed_out'], fn ($c) => upgrade($c)],
    'bad frames' => [['failed_protocol'], fn ($c) => [upgrade($c), fwrite($c, "\xf3\x80\x80")]],
    'huge frame' => [['failed_protocol'], fn ($c) => [upgrade($c), fwrite($c, "\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff")]],
    'close frame' => [['failed_closed'], fn ($c) => [upgrade($c), fwrite($c, "\x88\x02\x03\xe8")]],
    'unasked' => [['wrong'], fn ($c) => [upgrade($c), fwrite($c, str_repeat("\x81\x03abc", 3))]],
    'stays open' => [['timed_out'], fn ($c) => [upgrade($c), fwrite($c, "\x89\x00\x8a\x00")]],
] as $name => [$causes, $handler]) {
    [$port, $pid] = hostile($handler);
    echo "$name: ", run($port, ...$causes), "\n";
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
}
$server = new EchoServer('ws');
$load = new Load('ws-echo', "ws://127.0.0.1:{$server->port()}/", ['duration' => '10s', 'warmup' => 0, 'timeout' => '1s', 'drain' => '1s']);
$load->start();
while ($load->counters()['received'] === 0) {
    $load->poll(0.1);
}
$server->stop();
while ($load->counters()['failed_refused'] === 0) {
    $load->poll(0.1);
}
$load->stop();
$load->stop();
while ($load->poll(1)) {
}
$c = $load->counters();
echo 'dies: ', $load->phase(), ' ', json_encode([$load->partial(), $c['open'], $c['in_flight'], $c['failed_reset'] + $c['failed_closed'] >= 10, $c['lost'] > 0]), "\n";

$server = new EchoServer('ws');
$load = new Load('ws-echo', "ws://127.0.0.1:{$server->port()}/", ['duration' => '20s', 'workers' => 2]);
$load->start();
while ($load->phase() !== 'measure') {
    $load->poll(0.1);
}
posix_kill($load->workers()[1]['pid'], SIGKILL);
while ($load->workers()[1]['error'] === null) {
    $load->poll(0.1);
}
$load->stop();
while ($load->poll(1)) {
}
echo 'a worker is killed: ', json_encode([$load->partial(), $load->phase(), $load->workers()[1]['error'], $load->workers()[0]['error']]), "\n";
?>
--EXPECT--
nobody: done: failed_refused - connection refused
silent: done: failed_timeout - no connection within the timeout
closes: done: failed_reset|failed_closed - ended
garbage: done: failed_protocol - the answer to the upgrade is not HTTP: protocol error
refuses: done: failed_status - the server answered the upgrade with 403
bad accept: done: failed_protocol - the upgrade's answer is not valid: Sec-WebSocket-Accept is not the one for our key, once
no echo: done: timed_out - no answer within the timeout
bad frames: done: failed_protocol - a connection was lost: what the server sent is not WebSocket: protocol error
huge frame: done: failed_protocol - a connection was lost: what the server sent is not WebSocket: message too big
close frame: done: failed_closed - a connection was lost: the server sent a Close frame
unasked: done: wrong - an answer differs from what was sent
stays open: done: timed_out - no answer within the timeout
dies: done [true,0,0,true,true]
a worker is killed: [true,"done","the worker was ended by signal 9",null]
