--TEST--
A client's ping carries its payload and takes no more than a control frame holds; what is answered to it is no message; on a closed connection it is an exception
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip pcntl is needed'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\Client;

$listener = stream_socket_server('tcp://127.0.0.1:0');
$url = 'ws://' . stream_socket_get_name($listener, false) . '/';
$pid = pcntl_fork();
if ($pid === 0) { // tells what it was sent, frame by frame
    $stream = stream_socket_accept($listener);
    for ($head = ''; !str_ends_with($head, "\r\n\r\n"); $head .= fgets($stream));
    preg_match('~^Sec-WebSocket-Key: (\S+)~mi', $head, $key);
    fwrite($stream, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        . base64_encode(sha1("{$key[1]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11", true)) . "\r\n\r\n");
    while (strlen($start = stream_get_contents($stream, 6)) === 6) {
        [, $first, $second] = unpack('C2', $start);
        $len = $second & 127;
        $payload = $len === 0 ? '' : stream_get_contents($stream, $len) ^ str_repeat(substr($start, 2), 32);
        if (($first & 15) === 8) {
            fwrite($stream, "\x88" . chr(strlen($payload)) . $payload);
            break;
        }
        fwrite($stream, "\x8a\x00\x81" . chr(strlen($text = dechex($first) . ' ' . strlen($payload) . ' ' . bin2hex(substr($payload, 0, 8)))) . $text);
    }
    exit(0);
}
fclose($listener);
$client = new Client($url);
$client->ping('are you?');
$client->ping();
$client->ping(str_repeat("\xff", 125));
$client->send('text');
for ($i = 0; $i < 4; $i++) {
    echo $client->receive(20 * slow()), "\n";
}
attempt(fn () => $client->ping(str_repeat('x', 126)));
attempt(fn () => $client->__construct($url));
attempt(fn () => $client->send("\xff"));
$client->close();
attempt(fn () => $client->ping());
pcntl_waitpid($pid, $status);
?>
--EXPECT--
89 8 61726520796f753f
89 0 
89 125 ffffffffffffffff
81 4 74657874
ValueError: Tusk\WebSocket\Client::ping(): Argument #1 ($payload) must be at most 125 bytes for a control frame, 126 given
Error: The client is made already
ValueError: Tusk\WebSocket\Client::send(): Argument #1 ($data) must be valid UTF-8 for a text message
Tusk\Exception: Cannot send on a closed connection
