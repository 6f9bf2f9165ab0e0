--TEST--
A handler that exceeds memory_limit: what can be drained leaves, the process ends non-zero though handlers wait
--SKIPIF--
<?php if (!function_exists('pcntl_fork')) die('skip pcntl is needed'); if (getenv('USE_ZEND_ALLOC') === '0') die('skip memory_limit needs the Zend allocator'); ?>
--INI--
log_errors=0
display_errors=0
memory_limit=32M
--FILE--
<?php
require __DIR__ . '/../peer.inc';
use Tusk\WebSocket\{Connection, MessageType, Server};

[$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$pid = pcntl_fork();
if ($pid === 0) {
    ini_set('error_log', '/dev/null');
    $server = new Server();
    $server->listen('127.0.0.1', 0);
    $server->onStart(fn () => fwrite($its, "$server->port\n"));
    $server->onMessage(function (Connection $c, string $m) {
        if ($m === 'wait') {
            $c->send('waits');
            Tusk\Timer::sleep(3600); // its session cannot end: nobody goes on in it
        }
        if ($m === 'eat') {
            $c->send(str_repeat('q', 2 << 20), MessageType::Binary);
            Tusk\Timer::delay(0.001, fn () => str_repeat('a', 1 << 30));
        }
    });
    $server->run();
    exit(0);
}
$port = (int) fgets($mine);
$a = Peer::open($port);
$b = Peer::open($port);
$c = Peer::open($port);
$c->send('wait');
echo $c->text(), "\n";
$a->send('eat');
echo strlen($a->text()), ' ', substr($a->text(), 0, 8), ' ', substr($b->text(), 0, 8), "\n";
unset($a, $b);
pcntl_waitpid($pid, $status);
var_dump(pcntl_wifexited($status), pcntl_wexitstatus($status) !== 0);
?>
--EXPECT--
waits
2097152 (close 1 (close 1
bool(true)
bool(true)
