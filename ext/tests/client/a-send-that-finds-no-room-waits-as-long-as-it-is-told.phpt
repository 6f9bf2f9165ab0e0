--TEST--
WebSocket\Client::send() to a server that never reads waits as long as it is told; nothing of the message is sent then
--SKIPIF--
<?php
if (!function_exists('pcntl_fork')) die('skip pcntl is needed');
if ((int) getenv('TUSK_SLOW') >= 10) die('skip 256 MiB are much under valgrind');
?>
--FILE--
<?php
use Tusk\WebSocket\{Client, MessageType, Protocol};

$listener = stream_socket_server('tcp://127.0.0.1:0');
$name = stream_socket_get_name($listener, false);
[$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) { // shakes hands, then reads nothing
    fclose($mine);
    $peer = stream_socket_accept($listener, 10);
    preg_match('/Sec-WebSocket-Key: (\S+)/i', fread($peer, 4096), $key);
    fwrite($peer, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " . Protocol::acceptKey($key[1]) . "\r\n\r\n");
    fread($its, 1); // until the other end is closed
    posix_kill(getmypid(), SIGKILL);
}
fclose($its);
$client = new Client("ws://$name/");
foreach ([-1, NAN] as $wrong) {
    try {
        $client->send('x', timeout: $wrong);
    } catch (ValueError $e) {
        echo $e->getMessage(), "\n";
    }
}
$piece = str_repeat('x', 1 << 25);
$sent = 0;
foreach ([0.05, 0.0] as $timeout) {
    try {
        while (true) {
            $client->send($piece, MessageType::Binary, $timeout);
            $sent++;
        }
    } catch (Tusk\Exception $e) {
        echo $e->getMessage(), "\n";
    }
}
var_dump($sent >= 7, $client->isOpen());
fclose($mine);
pcntl_waitpid($pid, $status);
try {
    $client->send($piece, timeout: 20.0); // the peer is gone: no need to wait
} catch (Tusk\Exception $e) {
    echo $e->getMessage(), "\n";
}
?>
--EXPECT--
Tusk\WebSocket\Client::send(): Argument #3 ($timeout) must be between 0 and 1e9 seconds, -1 given
Tusk\WebSocket\Client::send(): Argument #3 ($timeout) must be between 0 and 1e9 seconds, NAN given
Cannot send: the peer does not read, 256 MiB wait for it: deadline passed
Cannot send: the peer does not read, 256 MiB wait for it: deadline passed
bool(true)
bool(true)
Cannot send on a closed connection
