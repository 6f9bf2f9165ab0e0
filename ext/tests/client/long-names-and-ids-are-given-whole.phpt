--TEST--
A subprotocol of 200 bytes is told whole; an event's id of 70,000 is still the last one after the end
--EXTENSIONS--
tusk
pcntl
posix
--FILE--
<?php
use Tusk\WebSocket\Protocol;

$listener = stream_socket_server('tcp://127.0.0.1:0');
$name = stream_socket_get_name($listener, false);
$subprotocol = str_repeat('p', 200);
if (($server = pcntl_fork()) === 0) {
    $peer = stream_socket_accept($listener, 60);
    preg_match('/Sec-WebSocket-Key: (\S+)/i', fread($peer, 4096), $key);
    fwrite($peer, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " . Protocol::acceptKey($key[1])
        . "\r\nSec-WebSocket-Protocol: $subprotocol\r\n\r\n\x88\x02\x03\xe8");
    fread($peer, 4096);
    $stream = stream_socket_accept($listener, 60);
    fread($stream, 4096);
    fwrite($stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: " . str_repeat('i', 70000) . "\ndata: x\n\n");
    fread($stream, 1);
    posix_kill(getmypid(), SIGKILL);
}
$socket = new Tusk\WebSocket\Client("ws://$name/", subprotocols: ['other', $subprotocol]);
var_dump($socket->subprotocol === $subprotocol);
unset($socket);
$stream = new Tusk\Sse\Client("http://$name/");
$event = $stream->receive(20.0);
var_dump(strlen($stream->lastEventId()));
$stream->close();
var_dump($stream->lastEventId() === $event->lastEventId);
unset($stream);
pcntl_waitpid($server, $status);
?>
--EXPECT--
bool(true)
int(70000)
bool(true)
