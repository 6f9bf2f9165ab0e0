--TEST--
A fatal error in a signal's handler ends the call that is waited for, and its connection: what runs at shutdown may call again; a wait with a timeout ends with it
--EXTENSIONS--
tusk
pcntl
posix
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip what a fatal error leaves by longjmp is lost, as ASan and valgrind see it'); ?>
--INI--
log_errors=0
display_errors=0
--FILE--
<?php
use Tusk\WebSocket\Protocol;

$listener = stream_socket_server('tcp://127.0.0.1:0');
$name = stream_socket_get_name($listener, false);
if (($server = pcntl_fork()) === 0) {
    $first = stream_socket_accept($listener, 60);
    $waits = (int) preg_replace('~^GET /(\d+).*~s', '$1', fread($first, 4096));
    fwrite($first, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhalf");
    posix_kill($waits, SIGUSR1);
    $second = stream_socket_accept($listener, 60);
    fread($second, 4096);
    stream_set_timeout($first, 20);
    $says = fread($first, 1) === '' && feof($first) ? 'the first call is gone' : 'the first call goes on';
    fwrite($second, "HTTP/1.1 200 OK\r\nContent-Length: " . strlen($says) . "\r\n\r\n$says");
    $third = stream_socket_accept($listener, 60);
    preg_match('~^GET /(\d+).*Sec-WebSocket-Key: (\S+)~is', fread($third, 4096), $asked);
    fwrite($third, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " . Protocol::acceptKey($asked[2]) . "\r\n\r\n");
    fread($third, 10); // "y", masked: it waits from here on
    posix_kill((int) $asked[1], SIGUSR1);
    fread($third, 1); // until it is gone
    posix_kill(getmypid(), SIGKILL);
}
function twice(): void {}
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, static function (): void {
    echo "a fatal error\n";
    eval('function twice(): void {}');
});
if (($waits = pcntl_fork()) === 0) {
    register_shutdown_function(static function () use ($name): void {
        echo (new Tusk\Http\Client(timeout: 60.0))->get("http://$name/")->body, "\n";
    });
    (new Tusk\Http\Client(timeout: 60.0))->get("http://$name/" . getmypid());
}
pcntl_waitpid($waits, $status);
var_dump(pcntl_wifexited($status));
if (($waits = pcntl_fork()) === 0) {
    $socket = new Tusk\WebSocket\Client("ws://$name/" . getmypid());
    $socket->send('y');
    $socket->receive(60.0);
}
pcntl_waitpid($waits, $status);
var_dump(pcntl_wifexited($status));
?>
--EXPECT--
a fatal error
the first call is gone
bool(true)
a fatal error
bool(true)
