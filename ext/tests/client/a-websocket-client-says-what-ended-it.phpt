--TEST--
WebSocket\Client::lastError() says what ended a connection that its server did not close in order
--EXTENSIONS--
tusk
pcntl
posix
--FILE--
<?php
use Tusk\WebSocket\{Client, Protocol};

$listener = stream_socket_server('tcp://127.0.0.1:0');
$name = stream_socket_get_name($listener, false);
$frames = [
    'in order' => "\x88\x02\x03\xe8",
    'without a code' => "\x88\x00",
    'a masked frame' => "\x81\x81abcd\x19",
    'no UTF-8' => "\x81\x01\xff",
    'too large' => "\x82\x7e\x04\x01",
    'a code that may not be sent' => "\x88\x02\x03\xed",
    'no Close' => "\x81\x01x",
];
if (($server = pcntl_fork()) === 0) {
    foreach ($frames as $frame) {
        $peer = stream_socket_accept($listener, 60);
        preg_match('/Sec-WebSocket-Key: (\S+)/i', fread($peer, 4096), $key);
        fwrite($peer, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " . Protocol::acceptKey($key[1]) . "\r\n\r\n$frame");
        stream_socket_shutdown($peer, STREAM_SHUT_WR);
        while (!feof($peer)) {
            fread($peer, 4096);
        }
    }
    posix_kill(getmypid(), SIGKILL);
}
foreach (array_keys($frames) as $what) {
    $client = new Client("ws://$name/", maxMessageSize: 1024);
    while ($client->receive(20.0) !== null);
    echo "$what: $client->closeCode ", json_encode($client->lastError()), "\n";
}
pcntl_waitpid($server, $status);
?>
--EXPECT--
in order: 1000 null
without a code: 1005 null
a masked frame: 1006 "stream: protocol error"
no UTF-8: 1006 "stream: text is not UTF-8"
too large: 1006 "stream: message too big"
a code that may not be sent: 1006 "stream: protocol error"
no Close: 1006 "stream: the connection ended without a Close frame"
