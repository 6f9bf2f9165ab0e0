--TEST--
A handler past the time limit that it set itself is PHP's fatal error: 503, a drain, and the end; after run() the script's limit counts again
--EXTENSIONS--
tusk
pcntl
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip a fatal error leaves a fiber by longjmp: ASan takes that for an overflow, and what lay on it is lost'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\Server;

[$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) {
    ini_set('display_errors', '0');
    $server = new Server('127.0.0.1:0');
    $server->get('/', function (): void { set_time_limit(1); for (;;); });
    $server->onStart(fn () => fwrite($its, "$server->port\n"));
    $server->run();
    exit(7);
}
$peer = new Peer((int) fgets($mine));
$peer->write("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
echo substr($peer->readAll(), 9, 3), "\n";
pcntl_waitpid($pid, $status);
echo pcntl_wexitstatus($status), "\n";

$pid = pcntl_fork();
if ($pid === 0) {
    ini_set('display_errors', '0');
    set_time_limit(1);
    $server = new Server('127.0.0.1:0');
    $server->onStart(fn () => $server->stop());
    echo $server->run(), "\n";
    for (;;);
}
pcntl_waitpid($pid, $status);
echo pcntl_wexitstatus($status), "\n";
?>
--EXPECT--
503
255
0
255
