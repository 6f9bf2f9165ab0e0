--TEST--
SIGTERM drains with 1001 and exit code 0; a second one cuts at once
--SKIPIF--
<?php if (!function_exists('pcntl_fork') || !function_exists('posix_kill')) die('skip pcntl and posix are needed'); ?>
--FILE--
<?php
require __DIR__ . '/../peer.inc';
function spawn(): array
{
    [$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $pid = pcntl_fork();
    if ($pid === 0) {
        $server = new Tusk\Server('127.0.0.1:0', limits: new Tusk\Limits(drainMs: 20000, closeMs: 20000));
        $server->onStart(fn () => fwrite($its, "$server->port\n"));
        $server->websocket('/', message: fn ($c, $m) => $c->send($m));
        exit($server->run() + 40);
    }
    return [$pid, (int) fgets($mine)];
}
[$pid, $port] = spawn();
$peer = Peer::open($port);
posix_kill($pid, SIGTERM);
echo substr($peer->text(), 0, 11), "\n";
$peer->goodbye(1001);
pcntl_waitpid($pid, $status);
echo pcntl_wexitstatus($status), "\n";
[$pid, $port] = spawn();
$peer = Peer::open($port);
$started = microtime(true);
posix_kill($pid, SIGINT);
$peer->text();
posix_kill($pid, SIGTERM);
pcntl_waitpid($pid, $status);
echo pcntl_wexitstatus($status), ' ', microtime(true) - $started < 10 * slow() ? 'cut' : 'late', "\n";
?>
--EXPECT--
(close 1001
40
40 cut
